import type { Kysely } from 'kysely'
import { TtError } from '../../lib/errors.js'
import type { Schema } from '../storage/schema.js'
import { unknownNameError, validatePathSegment } from './names.js'

type Db = Kysely<Schema>
export type ProjectRow = { id: number; client_id: number | null; name: string; active: number }

/** The project at Client/Project or Project. Throws TtError `not_found`, and `usage` when several have that name. */
export async function findProject(db: Db, path: string): Promise<ProjectRow> {
  const [project = '', client, ...rest] = path
    .split('/')
    .map((segment) => segment.trim())
    .reverse()
  const found = rest.length > 0 ? [] : await findProjectsByName(db, project, client)
  const [only, another] = found
  if (!only) throw unknownNameError('project', path)
  if (another) throw ambiguous(path)
  return only
}

async function findProjectsByName(db: Db, name: string, client: string | undefined): Promise<ProjectRow[]> {
  return db
    .selectFrom('projects')
    .leftJoin('clients', 'clients.id', 'projects.client_id')
    .select(['projects.id', 'projects.client_id', 'projects.name', 'projects.active'])
    .where('projects.name', '=', name)
    .$if(client !== undefined, (query) => query.where('clients.name', '=', client ?? ''))
    .execute()
}

/** The project of that name, made where there is none: see `addLink`. */
export async function findOrCreateProject(
  db: Db,
  names: { client?: string | undefined; project: string },
): Promise<ProjectRow> {
  const name = validatePathSegment('project', names.project)
  const client = names.client === undefined ? undefined : validatePathSegment('client', names.client)
  const found = await findProjectsByName(db, name, client)
  const project = found.find(({ client_id }) => client_id === null) ?? found[0]
  if (project && (found.length === 1 || project.client_id === null)) return project
  if (project) throw ambiguous(name)
  const clientId = client === undefined ? null : await findOrCreateByName(db, 'clients', 'client', client)
  const made = await insertProject(db, name, clientId)
  // Nothing was inserted: another process has made it in this very moment.
  return made ?? findProject(db, client === undefined ? name : `${client}/${name}`)
}

/** Adds a project; undefined when the client has one of that name. */
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

/** Adds a client or a task; undefined when there is one of that name. */
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

/** The id of the client or task of that name, which is made where there is none. */
export async function findOrCreateByName(
  db: Db,
  table: 'clients' | 'tasks',
  kind: string,
  name: string,
): Promise<number> {
  const checked = validatePathSegment(kind, name)
  const known = await db.selectFrom(table).select('id').where('name', '=', checked).executeTakeFirst()
  if (known) return known.id
  const added = await insertByName(db, table, checked)
  if (added) return added.id
  const other = await db.selectFrom(table).select('id').where('name', '=', checked).executeTakeFirstOrThrow()
  return other.id
}

/** Throws TtError `usage` for a project that is archived. */
export function requireActive({ name, active }: ProjectRow): void {
  if (active === 1) return
  throw new TtError('usage', `The project "${name}" is archived.`, {
    hint: 'Use another one, or restore it.',
  })
}

function ambiguous(path: string): TtError {
  return new TtError('usage', `Several clients have a project "${path}".`, { hint: 'Write Client/Project.' })
}
