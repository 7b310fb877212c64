import { segmentsOf } from '../../lib/text/match-names.js'
import { fold } from '../../lib/text/nearest-names.js'
import { type Link, pathOf } from './links.js'

/** The names for a new link; without a client, it is an internal project. */
export interface LinkNames {
  client?: string
  project: string
  task: string
}

/** Returns the label of a link with these names. */
export function labelOf({ client, project, task }: LinkNames): string {
  return [client, project, task].filter((name) => name !== undefined).join(' / ')
}

/** Returns the labels of up to three links with the most names in common with typed text such as Project/Task. */
export function labelsWithSameNames(typed: string, links: readonly Link[]): string[] {
  const names = segmentsOf(typed).map(fold)
  return links
    .map((link) => ({
      label: link.label,
      count: pathOf(link).filter((name) => names.includes(fold(name))).length,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 3)
    .map(({ label }) => label)
}
