import { TtError } from '../../../lib/errors.js'
import { matchNames, segmentsOf } from '../../../lib/text/match-names.js'
import { fold, nearestNames, suggestionText } from '../../../lib/text/nearest-names.js'
import type { Queries } from '../../storage/queries.js'
import { identifier, type Sql, sql } from '../../storage/sql.js'
import { unknownNameError, validatePathSegment } from '../validate-name.js'
import type { CatalogEdit, CatalogTable } from './catalog-edit.js'

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

type ProjectRow = { id: number; client_id: number | null; name: string; active: number }

async function findProjectsByName(
  { queries }: CatalogEdit,
  name: string,
  client: string | undefined,
): Promise<ProjectRow[]> {
  const ofClient = client === undefined ? sql`` : sql`and clients.name = ${client}`
  return queries.all<ProjectRow>(sql`
    select projects.id, projects.client_id, projects.name, projects.active
    from projects left join clients on clients.id = projects.client_id
    where projects.name = ${name} ${ofClient}`)
}

/** Finds the project of that name, or creates it; see `addLink` for projects without a client. */
export async function findOrCreateProject(
  edit: CatalogEdit,
  names: { client?: string | undefined; project: string },
): Promise<ProjectRow> {
  const name = validatePathSegment('project', names.project)
  const client = names.client === undefined ? undefined : validatePathSegment('client', names.client)
  const found = await findProjectsByName(edit, name, client)
  const project = found.find(({ client_id }) => client_id === null) ?? found[0]
  if (project && (found.length === 1 || project.client_id === null)) return project
  if (project) throw ambiguousProject(name)
  const clientId = client === undefined ? null : await findOrCreateClient(edit, client)
  const inserted = await insertProject(edit, name, clientId)
  if (inserted) return inserted
  // Another process has created the project since the check.
  const created = (await findProjectsByName(edit, name, client)).find(
    ({ client_id }) => client_id === clientId,
  )
  if (!created) throw new Error(`The project "${name}" was neither added nor found.`)
  return created
}

/** Adds a project; returns undefined when the client has one of that name. */
export async function insertProject(
  edit: CatalogEdit,
  name: string,
  clientId: number | null,
): Promise<ProjectRow | undefined> {
  const row = await edit.insert('projects', { name, client_id: clientId, active: 1 })
  return row && { id: row.id, name, client_id: clientId, active: 1 }
}

/** Finds the client of that name, or creates it, and returns its ID. Throws TtError `usage` if it is archived. */
export async function findOrCreateClient(edit: CatalogEdit, name: string): Promise<number> {
  const id = await findOrCreateByName(edit, 'clients', 'client', name)
  const client = await edit.row('clients', id)
  requireActive('client', { name, active: Number(client?.active) })
  return id
}

/** Finds the record of that name, ignoring case and accents, or creates it, and returns its ID. */
export async function findOrCreateByName(
  edit: CatalogEdit,
  table: 'clients' | 'tasks',
  kind: string,
  name: string,
): Promise<number> {
  const validName = validatePathSegment(kind, name)
  const existing = await findByName(edit.queries, table, validName)
  if (existing) return existing.id
  const added = await edit.insert(
    table,
    table === 'clients' ? { name: validName, active: 1 } : { name: validName },
  )
  // Otherwise another process has created the record since the check.
  const id = added?.id ?? (await findByName(edit.queries, table, validName))?.id
  if (id === undefined) throw new Error(`The ${kind} "${name}" was neither added nor found.`)
  return id
}

/** Returns the record of exactly that name, or else the first one that has it except for case and accents. */
export async function findByName(
  queries: Queries,
  table: CatalogTable & ('clients' | 'tasks' | 'expense_types'),
  name: string,
): Promise<{ id: number; name: string } | undefined> {
  const select = (conditions: Sql) =>
    queries.all<{ id: number; name: string }>(
      sql`select id, name from ${identifier(table)} ${conditions} order by id`,
    )
  const [exact] = await select(sql`where name = ${name}`)
  return exact ?? (await select(sql``)).find((record) => fold(record.name) === fold(name))
}

/** Throws TtError `usage` for a record that is archived. */
export function requireActive(
  kind: 'client' | 'project',
  { name, active }: { name: string; active: number },
): void {
  if (active === 1) return
  throw new TtError('usage', `The ${kind} "${name}" is archived.`, {
    nextStep: { action: 'restore_record', records: `admin_${kind}s`, name },
  })
}

function ambiguousProject(path: string): TtError {
  return new TtError('usage', `Several clients have a project "${path}".`, {
    hint: 'Enter it as Client/Project.',
  })
}
