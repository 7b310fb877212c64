import type { Kysely } from 'kysely'
import { TtError } from '../../lib/errors.js'
import { fold } from '../../lib/text/nearest-names.js'
import type { Schema } from '../storage/schema.js'
import { validatePathSegment } from './validate-name.js'

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
  db: Db,
  names: { client?: string | undefined; project: string },
): Promise<ProjectRow> {
  const name = validatePathSegment('project', names.project)
  const client = names.client === undefined ? undefined : validatePathSegment('client', names.client)
  const found = await findProjectsByName(db, name, client)
  const project = found.find(({ client_id }) => client_id === null) ?? found[0]
  if (project && (found.length === 1 || project.client_id === null)) return project
  if (project) throw ambiguousProject(name)
  const clientId = client === undefined ? null : await findOrCreateByName(db, 'clients', 'client', client)
  const inserted = await insertProject(db, name, clientId)
  if (inserted) return inserted
  // Another process has created the project since the check.
  const created = (await findProjectsByName(db, name, client)).find(({ client_id }) => client_id === clientId)
  if (!created) throw new Error(`The project "${name}" was neither added nor found.`)
  return created
}

/** Adds a project; returns undefined when the client has one of that name. */
export async function insertProject(
  db: Db,
  name: string,
  clientId: number | null,
): Promise<ProjectRow | undefined> {
  return db
    .insertInto('projects')
    .values({ name, client_id: clientId, active: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'client_id', 'name', 'active'])
    .executeTakeFirst()
}

/** Adds a client or a task; returns undefined when the name is in use. */
export async function insertByName(
  db: Db,
  table: 'clients' | 'tasks',
  name: string,
): Promise<{ id: number; name: string } | undefined> {
  return db
    .insertInto(table)
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name'])
    .executeTakeFirst()
}

/** Finds the client or task of that name, ignoring case and accents, or creates it, and returns its ID. */
export async function findOrCreateByName(
  db: Db,
  table: 'clients' | 'tasks',
  kind: string,
  name: string,
): Promise<number> {
  const validName = validatePathSegment(kind, name)
  const existing =
    (await db.selectFrom(table).select('id').where('name', '=', validName).executeTakeFirst()) ??
    (await db.selectFrom(table).selectAll().orderBy('id').execute()).find(
      ({ name: other }) => fold(other) === fold(validName),
    )
  if (existing) return existing.id
  const added = await insertByName(db, table, validName)
  if (added) return added.id
  const other = await db
    .selectFrom(table)
    .select('id')
    .where('name', '=', validName)
    .executeTakeFirstOrThrow()
  return other.id
}

/** Throws TtError `usage` for a project that is archived. */
export function requireActive({ name, active }: ProjectRow): void {
  if (active === 1) return
  throw new TtError('usage', `The project "${name}" is archived.`, {
    hint: 'Use another project, or restore this one.',
  })
}

function ambiguousProject(path: string): TtError {
  return new TtError('usage', `Several clients have a project "${path}".`, {
    hint: 'Enter it as Client/Project.',
  })
}
