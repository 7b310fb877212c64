import type { Kysely } from 'kysely'
import { TtError } from '../../../lib/errors.js'
import { fold } from '../../../lib/text/nearest-names.js'
import type { Schema } from '../../storage/schema.js'
import { validatePathSegment } from '../validate-name.js'
import type { CatalogEdit, CatalogTable } from './catalog-edit.js'

type Db = Kysely<Schema>
export type ProjectRow = { id: number; client_id: number | null; name: string; active: number }

async function findProjectsByName(db: Db, name: string, client: string | undefined): Promise<ProjectRow[]> {
  return db
    .selectFrom('projects')
    .leftJoin('clients', 'clients.id', 'projects.client_id')
    .select(['projects.id', 'projects.client_id', 'projects.name', 'projects.active'])
    .where('projects.name', '=', name)
    .$if(client !== undefined, (query) => query.where('clients.name', '=', client ?? ''))
    .execute()
}

/** Finds the project of that name, or creates it; see `addLink` for projects without a client. */
export async function findOrCreateProject(
  edit: CatalogEdit,
  names: { client?: string | undefined; project: string },
): Promise<ProjectRow> {
  const name = validatePathSegment('project', names.project)
  const client = names.client === undefined ? undefined : validatePathSegment('client', names.client)
  const found = await findProjectsByName(edit.db, name, client)
  const project = found.find(({ client_id }) => client_id === null) ?? found[0]
  if (project && (found.length === 1 || project.client_id === null)) return project
  if (project) throw ambiguousProject(name)
  const clientId = client === undefined ? null : await findOrCreateClient(edit, client)
  const inserted = await insertProject(edit, name, clientId)
  if (inserted) return inserted
  // Another process has created the project since the check.
  const created = (await findProjectsByName(edit.db, name, client)).find(
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
  const existing = await findByName(edit.db, table, validName)
  if (existing) return existing.id
  const added = await edit.insert(
    table,
    table === 'clients' ? { name: validName, active: 1 } : { name: validName },
  )
  if (added) return added.id
  const other = await edit.db
    .selectFrom(table)
    .select('id')
    .where('name', '=', validName)
    .executeTakeFirstOrThrow()
  return other.id
}

/** Returns the record of exactly that name, or else the first one that has it except for case and accents. */
export async function findByName(
  db: Db,
  table: CatalogTable & ('clients' | 'tasks' | 'expense_types'),
  name: string,
): Promise<{ id: number; name: string } | undefined> {
  const exact = await db.selectFrom(table).select(['id', 'name']).where('name', '=', name).executeTakeFirst()
  if (exact) return exact
  const all = await db.selectFrom(table).select(['id', 'name']).orderBy('id').execute()
  return all.find(({ name: other }) => fold(other) === fold(name))
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
