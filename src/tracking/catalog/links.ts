import type { Id, NamedRecord, TaskLink } from '../../api-client/types.js'
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
