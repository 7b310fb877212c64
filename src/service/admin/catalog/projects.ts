import type { Project } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'
import { fold } from '../../../lib/text/nearest-names.js'
import * as records from '../../../records/records.js'
import { type Row, toRecord } from '../../resources/fields.js'
import { sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { duplicateNameError, validatePathSegment } from '../validate-name.js'
import {
  type CatalogEdit,
  editCatalog,
  mergeProject,
  mergeWithItself,
  type Renamed,
  removeUnusedTask,
  renameToExisting,
  usedRecord,
} from './catalog-edit.js'
import {
  type FoundProject,
  findOrCreateClient,
  findProject,
  insertProject,
  requireActive,
} from './find-records.js'

/** A project with the name of its client. */
export type ProjectWithClient = Project & { client: string | null }

/**
 * Adds an active project at a path, Client/Project or Project, and its client if it does not exist. Throws TtError `usage`
 * for an invalid name or one that is in use.
 */
export async function addProject(storage: Storage, path: string): Promise<ProjectWithClient> {
  const { name, parent: client } = splitPath('project', path)
  const validName = validatePathSegment('project', name)
  return editCatalog(storage, async (edit) => {
    const clientId = client === undefined ? null : await findOrCreateClient(edit, client)
    const existing = await projectNamed(edit, validName, clientId)
    const project = existing ? undefined : await insertProject(edit, validName, clientId)
    if (!project)
      throw duplicateNameError('project', client === undefined ? validName : `${client.trim()}/${validName}`)
    return readProject(edit, project.id)
  })
}

/** Splits a path into the last name and the path before it, if there is one. */
export function splitPath(kind: string, path: string): { name: string; parent: string | undefined } {
  const end = path.lastIndexOf('/')
  if (end < 0) return { name: path, parent: undefined }
  const parent = path.slice(0, end).trim()
  if (parent === '') throw new TtError('usage', `"${path}" has an empty name before that of the ${kind}.`)
  return { name: path.slice(end + 1), parent }
}

/** Returns all projects, by name, each with the name of its client under `client`. */
export async function listProjects({ queries }: Storage): Promise<ProjectWithClient[]> {
  const rows = await queries.all<Row & { client: string | null }>(sql`
    select projects.*, clients.name as client
    from projects left join clients on clients.id = projects.client_id order by projects.name, projects.id`)
  return rows.map((row) => ({ ...toRecord(records.project, row), client: row.client }))
}

/**
 * Renames a project; with Client/Project as the new name, also moves it to that client, which is created if it does not
 * exist. Throws TtError `not_found`, and `usage` for a name that another project of the client has.
 */
export async function renameProject(
  storage: Storage,
  typed: string,
  newPath: string,
): Promise<Renamed<ProjectWithClient>> {
  const { name, parent: client } = splitPath('project', newPath)
  const validName = validatePathSegment('project', name)
  return editCatalog(storage, async (edit) => {
    const before = await findProject(edit.queries, typed)
    const clientId = client === undefined ? before.client_id : await findOrCreateClient(edit, client)
    const existing = await projectNamed(edit, validName, clientId)
    if (existing && existing.id !== before.id)
      throw renameToExisting('project', before.path, pathOf(await readProject(edit, existing.id)))
    await edit.update('projects', before.id, { name: validName, client_id: clientId })
    const record = await readProject(edit, before.id)
    return { from: [before.client, before.name], to: [record.client, record.name], record }
  })
}

/** Combines a project with another one, which remains. Throws TtError `not_found`, and `usage` for the same project. */
export async function mergeProjects(
  storage: Storage,
  names: { from: string; into: string },
  now: Date,
): Promise<Renamed<ProjectWithClient>> {
  return editCatalog(storage, async (edit) => {
    const [from, into] = [
      await findProject(edit.queries, names.from),
      await findProject(edit.queries, names.into),
    ]
    if (from.id === into.id) throw mergeWithItself('project', from.path)
    await mergeProject(edit, from.id, into.id, now)
    const record = await readProject(edit, into.id)
    return { from: [from.client, from.name], to: [into.client, into.name], record }
  })
}

/**
 * Restores or archives the project at `path` (Client/Project or Project) with all its tasks.
 *
 * Throws TtError `not_found`, and `usage` when several projects have that name, or when its client is archived.
 */
export async function setProjectActive(
  storage: Storage,
  path: string,
  active: boolean,
): Promise<ProjectWithClient> {
  return editCatalog(storage, async (edit) => {
    const project = await findProject(edit.queries, path)
    if (active) await requireActiveClient(edit, project)
    await setActiveProject(edit, project.id, active)
    return readProject(edit, project.id)
  })
}

/** Restores or archives a project with all its tasks. */
export async function setActiveProject(edit: CatalogEdit, id: number, active: boolean): Promise<void> {
  const changes = { active: active ? 1 : 0 }
  await edit.update('projects', id, changes)
  for (const link of await linksOf(edit, id)) await edit.update('task_links', link.id, changes)
}

/**
 * Deletes a project with its tasks. Throws TtError `not_found`, and `usage` for a project with entries, expenses or
 * assignments.
 */
export async function removeProject(storage: Storage, typed: string): Promise<ProjectWithClient> {
  return editCatalog(storage, async (edit) => {
    const { id, path } = await findProject(edit.queries, typed)
    const record = await readProject(edit, id)
    for (const link of await linksOf(edit, id)) {
      if (await edit.isUsed('task_links', link.id)) throw usedRecord('project', path, 'has entries')
      await edit.remove('task_links', link.id)
      await removeUnusedTask(edit, link.task_id)
    }
    if (await edit.isUsed('projects', id)) throw usedRecord('project', path, 'has expenses or assignments')
    await edit.remove('projects', id)
    return record
  })
}

/** Returns "Acme/Website", or "Internal" without a client. */
export function pathOf({ client, name }: ProjectWithClient): string {
  return client === null ? name : `${client}/${name}`
}

async function requireActiveClient(edit: CatalogEdit, { client_id: id }: FoundProject): Promise<void> {
  const client = id === null ? undefined : await edit.row('clients', id)
  if (client) requireActive('client', { name: String(client.name), active: Number(client.active) })
}

/** Returns the project of a client with that name, ignoring case and accents. */
async function projectNamed(
  edit: CatalogEdit,
  name: string,
  clientId: number | null,
): Promise<{ id: number; name: string } | undefined> {
  const projects = await edit.queries.all<{ id: number; name: string }>(
    sql`select id, name from projects where coalesce(client_id, 0) = ${clientId ?? 0} order by id`,
  )
  return (
    projects.find((project) => project.name === name) ??
    projects.find((project) => fold(project.name) === fold(name))
  )
}

function linksOf(edit: CatalogEdit, project: number): Promise<{ id: number; task_id: number }[]> {
  return edit.queries.all(sql`select id, task_id from task_links where project_id = ${project} order by id`)
}

async function readProject(edit: CatalogEdit, id: number): Promise<ProjectWithClient> {
  const row = await edit.row('projects', id)
  if (!row) throw new Error(`There is no project ${id}.`)
  const client = row.client_id === null ? undefined : await edit.row('clients', Number(row.client_id))
  return {
    ...toRecord(records.project, row),
    client: (client?.name as string | undefined) ?? null,
  }
}
