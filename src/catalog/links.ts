import type { Id, NamedRecord, TaskLink } from '../api/types.js'
import type { CatalogLists } from './reference-data.js'

/** A record as a person knows it. */
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
  /** "Acme / Website / Design" */
  label: string
  wire: TaskLink
}

/** The names of a link from the outside in, as matching takes them. */
export function pathOf(link: Link): string[] {
  return [link.client, link.project, link.task].flatMap((named) => (named ? [named.name] : []))
}

/** Every link with its names, by label. */
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

/** A task link with the names that go with it. */
export function toLink(
  wire: TaskLink,
  client: Named | null,
  project: Named | null,
  task: Named | null,
  projectActive = true,
): Link {
  const names = [client, project, task].flatMap((record) => (record ? [record.name] : []))
  return {
    id: wire.id,
    client,
    project,
    task,
    active: wire.active !== false && projectActive,
    label: names.length > 0 ? names.join(' / ') : `Task link ${wire.id}`,
    wire,
  }
}

/** Records by their ids as text: a service may send `1` here and `"1"` there. */
export function byId<Row extends { id: Id }>(records: readonly Row[]): Map<string, Row> {
  return new Map(records.map((record) => [String(record.id), record]))
}

function named(record: NamedRecord | undefined): Named | null {
  return record ? { id: record.id, name: record.name } : null
}

/** Reference data that a service nests instead of listing it. */
function nested(value: unknown): NamedRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name } = value as { id?: unknown; name?: unknown }
  if ((typeof id !== 'number' && typeof id !== 'string') || typeof name !== 'string') return undefined
  return { ...value, id, name }
}
