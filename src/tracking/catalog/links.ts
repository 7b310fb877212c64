import type { Id, NamedRecord, TaskLink } from '../../api-client/types.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../outbox/cache/snapshots.js'

/** The ID and name of a record. */
export interface Named {
  id: Id
  name: string
}

/** A task link joined with the names of its client, project and task. */
export interface Link {
  id: Id
  client: Named | null
  project: Named | null
  task: Named | null
  active: boolean
  /** The names for display: "Acme / Website / Design". */
  label: string
  wire: TaskLink
}

/** Returns the names of a link, client first. */
export function pathOf(link: Link): string[] {
  return [link.client, link.project, link.task].flatMap((named) => (named ? [named.name] : []))
}

/** Joins links with their names and sorts them by label. */
export function joinLinks({ links, projects, clients, tasks }: CatalogLists): Link[] {
  const [projectById, clientById, taskById] = [byId(projects), byId(clients), byId(tasks)]
  return links
    .map((wire) => {
      const project = projectById.get(String(wire.project_id)) ?? nested(wire.project)
      const task = taskById.get(String(wire.task_id)) ?? nested(wire.task)
      const clientId = project?.client_id ?? nested(project?.client)?.id
      const client = clientById.get(String(clientId)) ?? nested(project?.client)
      return toLink(wire, named(client), named(project), named(task), project?.active !== false)
    })
    .sort((a, b) => (a.label < b.label ? -1 : 1))
}

/** Creates a link from a task link and its client, project and task. */
export function toLink(
  wire: TaskLink,
  client: Named | null,
  project: Named | null,
  task: Named | null,
  isProjectActive = true,
): Link {
  const names = [client, project, task].flatMap((record) => (record ? [record.name] : []))
  return {
    id: wire.id,
    client,
    project,
    task,
    active: wire.active !== false && isProjectActive,
    label: names.length > 0 ? names.join(' / ') : `Task ${wire.id}`,
    wire,
  }
}

/** Returns records by their IDs as text, because a service may send both `1` and `"1"`. */
export function byId<Row extends { id: Id }>(records: readonly Row[]): Map<string, Row> {
  return new Map(records.map((record) => [String(record.id), record]))
}

function named(record: NamedRecord | undefined): Named | null {
  return record ? { id: record.id, name: record.name } : null
}

/** Returns a record that the service nests in another record; undefined for other values. */
function nested(value: unknown): NamedRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name } = value as { id?: unknown; name?: unknown }
  if ((typeof id !== 'number' && typeof id !== 'string') || typeof name !== 'string') return undefined
  return { ...value, id, name }
}

/** The names of a client, a project and a task. `*` and a missing name match every name, an empty client only none. */
export type Path = readonly string[]

/** A record before and after it was renamed or merged; `null` for a project without a client. */
export interface NameChange {
  from: readonly (string | null)[]
  to: readonly (string | null)[]
}

const levels = 3

/** Converts the end of a path, such as Project/Task, to one of all levels. */
export function pathOfTask(names: Path): Path {
  return [...Array<string>(Math.max(0, levels - names.length)).fill('*'), ...names]
}

/**
 * Returns a path with the new names; undefined if it does not name the changed record itself. A task that was changed in all
 * projects has no client and no project.
 */
export function renamePath(path: Path, { from, to }: NameChange): Path | undefined {
  const last = from.length - 1
  const isOfAllProjects = from.length === levels && from[1] === null
  const isNamed = from.every((name, level) => {
    const typed = path[level] ?? '*'
    if (typed === '*') return level < last
    if (typed === '') return name === null
    return (level < last && isOfAllProjects) || (name !== null && fold(name) === fold(typed))
  })
  if (!isNamed) return undefined
  return path.map((typed, level) => {
    const isChanged = level < to.length && from[level] !== to[level] && typed !== '*'
    return isChanged ? (to[level] ?? '*') : typed
  })
}

/** Whether a path matches one of these records, each with the names of its client, project and task. */
export function matchesAny(path: Path, records: readonly (readonly (string | null)[])[]): boolean {
  return records.some((names) =>
    path.every((typed, level) => {
      const name = names[level]
      if (typed === '*' || typed === '') return typed === '*' || name === null
      return typeof name === 'string' && fold(name) === fold(typed)
    }),
  )
}
