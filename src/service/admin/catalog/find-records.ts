import { TtError } from '../../../lib/errors.js'
import { matchNames, segmentsOf } from '../../../lib/text/match-names.js'
import { nearestNames, suggestionText } from '../../../lib/text/nearest-names.js'
import type { Queries } from '../../storage/queries.js'
import { sql } from '../../storage/sql.js'
import { unknownNameError } from '../validate-name.js'
import type { ProjectRow } from './find-or-create.js'

/** A project with the name of its client, and both as a path. */
export interface FoundProject extends ProjectRow {
  client: string | null
  /** `Client/Project`, or `Project` without a client. */
  path: string
}

/** A task of a project. */
export interface FoundLink {
  id: number
  project_id: number
  task_id: number
  active: number
  client: string | null
  client_id: number | null
  project: string
  task: string
  /** `Client/Project/Task`, or `Project/Task` without a client. */
  path: string
  /** The path of its project. */
  projectPath: string
}

/** A client or a task with its name. */
export interface FoundName {
  id: number
  name: string
}

/**
 * Returns the project that the typed text names: an ID, or Client/Project or Project, which are matched like the tasks of
 * time entries. Throws TtError `not_found` with similar names, and `usage` with the candidates when several match.
 */
export async function findProject(queries: Queries, typed: string): Promise<FoundProject> {
  const projects = await listFoundProjects(queries)
  const hasClient = segmentsOf(typed).length > 1
  return onlyMatch('project', typed, projects, ({ client, name }) =>
    hasClient && client !== null ? [client, name] : [name],
  )
}

async function listFoundProjects(queries: Queries): Promise<FoundProject[]> {
  const rows = await queries.all<Omit<FoundProject, 'path'>>(sql`
    select projects.id, projects.client_id, projects.name, projects.active, clients.name as client
    from projects left join clients on clients.id = projects.client_id
    order by clients.name nulls first, projects.name`)
  return rows.map((row) => ({ ...row, path: joinPath(row.client, row.name) }))
}

/** Returns the client that the typed text names. Throws like `findProject`. */
export async function findClient(queries: Queries, typed: string): Promise<FoundName> {
  const clients = await queries.all<FoundName>(sql`select id, name from clients order by name`)
  const found = clients.map((client) => ({ ...client, path: client.name }))
  return onlyMatch('client', typed, found, ({ name }) => [name])
}

/** Returns the task of that name, whatever its projects. Throws like `findProject`. */
export async function findTask(queries: Queries, typed: string): Promise<FoundName> {
  const tasks = await queries.all<FoundName>(sql`select id, name from tasks order by name`)
  const found = tasks.map((task) => ({ ...task, path: task.name }))
  return onlyMatch('task', typed, found, ({ name }) => [name], false)
}

/** Returns the task of a project that the typed text names, as in `tt start`. Throws like `findProject`. */
export async function findLink(queries: Queries, typed: string): Promise<FoundLink> {
  return onlyMatch('task', typed, await listFoundLinks(queries), ({ client, project, task }) =>
    client === null ? [project, task] : [client, project, task],
  )
}

/** Returns the tasks of all projects, by path. */
export async function listFoundLinks(queries: Queries): Promise<FoundLink[]> {
  const rows = await queries.all<Omit<FoundLink, 'path' | 'projectPath'>>(sql`
    select task_links.id, task_links.project_id, task_links.task_id, task_links.active,
      projects.name as project, projects.client_id, tasks.name as task, clients.name as client
    from task_links inner join projects on projects.id = task_links.project_id
      inner join tasks on tasks.id = task_links.task_id
      left join clients on clients.id = projects.client_id
    order by clients.name nulls first, projects.name, tasks.name`)
  return rows.map((row) => {
    const projectPath = joinPath(row.client, row.project)
    return { ...row, projectPath, path: joinPath(projectPath, row.task) }
  })
}

function joinPath(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}/${name}`
}

/**
 * Returns the record that the typed text names: its ID, or names that match only it.
 *
 * @param hasIds whether the IDs of these records are displayed
 */
function onlyMatch<Found extends { id: number; path: string }>(
  kind: 'client' | 'project' | 'task',
  typed: string,
  records: readonly Found[],
  pathOf: (record: Found) => string[],
  hasIds = true,
): Found {
  const byId = hasIds ? records.find(({ id }) => String(id) === typed.trim()) : undefined
  const found = byId ? [byId] : matchNames(typed, records, pathOf)
  const [first, second] = found
  if (!first)
    throw unknownRecord(
      kind,
      typed,
      records.flatMap((record) => [...pathOf(record), record.path]),
    )
  if (second) throw ambiguousRecord(kind, typed, found)
  return first
}

function unknownRecord(
  kind: 'client' | 'project' | 'task',
  typed: string,
  names: readonly string[],
): TtError {
  const candidates = nearestNames(typed, names)
  const { code, message, nextStep } = unknownNameError(kind, typed)
  return new TtError(code, `${message}${suggestionText(candidates)}`, { nextStep, candidates })
}

const completePaths = { client: 'the whole name', project: 'Client/Project', task: 'Client/Project/Task' }

function ambiguousRecord(
  kind: 'client' | 'project' | 'task',
  typed: string,
  found: readonly { path: string }[],
): TtError {
  const candidates = found.map(({ path }) => path)
  return new TtError('usage', `"${typed}" matches several ${kind}s: ${candidates.slice(0, 8).join('; ')}.`, {
    hint: `Enter it as ${completePaths[kind]}, or enter its ID.`,
    candidates,
  })
}
