import { TtError } from '../lib/errors.js'
import { fold } from '../lib/nearest-names.js'
import type { Link } from './links.js'
import { isNear, segmentsOf } from './matching.js'

/** The names of a link that is to be made: without a client, the project is the company's own. */
export interface LinkNames {
  client?: string
  project: string
  task: string
}

/** The names in what was typed, where it is Project/Task or Client/Project/Task. */
export function parseLinkNames(typed: string): LinkNames | undefined {
  const segments = segmentsOf(typed)
  const [first, second, third] = segments
  if (segments.length === 2 && first && second) return { project: first, task: second }
  if (segments.length === 3 && first && second && third)
    return { client: first, project: second, task: third }
  return undefined
}

/** The label that a link with these names has. */
export function labelOf({ client, project, task }: LinkNames): string {
  return [client, project, task].filter((name) => name !== undefined).join(' / ')
}

/**
 * The names as they are spelled already: "website" is the project "Website", and the project of a client is found
 * without naming the client. Throws TtError `usage` where several clients have a project of that name.
 */
export function withExistingNames(names: LinkNames, links: Link[]): LinkNames {
  const spelled = (level: 'client' | 'project' | 'task', name: string) =>
    links.find((link) => fold(link[level]?.name ?? '') === fold(name))?.[level]?.name ?? name
  const project = spelled('project', names.project)
  const task = spelled('task', names.task)
  if (names.client !== undefined) return { client: spelled('client', names.client), project, task }
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
