import { TtError } from '../lib/errors.js'
import { isNear, segmentsOf } from '../lib/text/match-names.js'
import { fold } from '../lib/text/nearest-names.js'
import { type Link, pathOf } from './links.js'

/** The names for a new link; without a client, it is an internal project. */
export interface LinkNames {
  client?: string
  project: string
  task: string
}

/** Parses Project/Task or Client/Project/Task; returns undefined for other text. */
export function parseLinkNames(typed: string): LinkNames | undefined {
  const segments = segmentsOf(typed)
  const [first, second, third] = segments
  if (segments.length === 2 && first && second) return { project: first, task: second }
  if (segments.length === 3 && first && second && third)
    return { client: first, project: second, task: third }
  return undefined
}

/** Returns the label of a link with these names. */
export function labelOf({ client, project, task }: LinkNames): string {
  return [client, project, task].filter((name) => name !== undefined).join(' / ')
}

/**
 * Replaces names by equal existing names ("website" by "Website"), and adds the client of an existing project. Throws
 * TtError `usage` if several clients have a project of that name.
 */
export function withExistingNames(names: LinkNames, links: Link[]): LinkNames {
  const existingName = (level: 'client' | 'project' | 'task', name: string) =>
    links.find((link) => fold(link[level]?.name ?? '') === fold(name))?.[level]?.name ?? name
  const project = existingName('project', names.project)
  const task = existingName('task', names.task)
  if (names.client !== undefined) return { client: existingName('client', names.client), project, task }
  const owners = [
    ...new Set(links.filter((link) => link.project?.name === project).map((link) => link.client?.name)),
  ]
  const [owner] = owners
  if (owners.length === 0 || owners.includes(undefined) || owner === undefined) return { project, task }
  if (owners.length === 1) return { client: owner, project, task }
  throw new TtError('usage', `Several clients have a project "${project}": ${owners.join(', ')}.`, {
    hint: `Write Client/${project}/${task}.`,
  })
}

/** Returns the first name that is probably a typo of an existing name at its level, and that existing name. */
export function nearestLinkNames(
  names: LinkNames,
  links: Link[],
): { typed: string; known: string } | undefined {
  for (const level of ['client', 'project', 'task'] as const) {
    const typed = names[level]
    if (typed === undefined) continue
    const known = [...new Set(links.flatMap((link) => link[level]?.name ?? []))]
    const near = known.find((name) => isNear(typed, name))
    if (near !== undefined && !known.includes(typed)) return { typed, known: near }
  }
  return undefined
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
