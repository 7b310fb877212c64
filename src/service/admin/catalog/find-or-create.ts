import { TtError } from '../../../lib/errors.js'
import { fold } from '../../../lib/text/nearest-names.js'
import type { Queries } from '../../storage/queries.js'
import { identifier, type Sql, sql } from '../../storage/sql.js'
import { validatePathSegment } from '../validate-name.js'
import type { CatalogEdit, CatalogTable } from './catalog-edit.js'

export type ProjectRow = { id: number; client_id: number | null; name: string; active: number }

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
