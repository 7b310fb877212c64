import type { Client } from '../../../api-client/types.js'
import * as records from '../../../records/records.js'
import { type Row, toRecord } from '../../resources/fields.js'
import { sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { duplicateNameError, validatePathSegment } from '../validate-name.js'
import {
  type CatalogEdit,
  editCatalog,
  mergeClient,
  mergeWithItself,
  type Renamed,
  renameToExisting,
  usedRecord,
} from './catalog-edit.js'
import { findByName, findClient } from './find-records.js'
import { setActiveProject } from './projects.js'

/** Returns all clients, by name, including archived ones. */
export async function listClients({ queries }: Storage): Promise<Client[]> {
  const rows = await queries.all<Row>(sql`select * from clients order by name`)
  return rows.map((row) => toRecord(records.client, row))
}

/** Adds an active client. Throws TtError `usage` for an invalid name or one that is in use. */
export async function addClient(storage: Storage, name: string): Promise<Client> {
  const validName = validatePathSegment('client', name)
  return editCatalog(storage, async (edit) => {
    const existing = await findByName(edit.queries, 'clients', validName)
    const added = existing ? undefined : await edit.insert('clients', { name: validName, active: 1 })
    if (!added) throw duplicateNameError('client', existing?.name ?? validName)
    return toRecord(records.client, added)
  })
}

/** Renames a client. Throws TtError `not_found`, and `usage` for a name that another client has. */
export async function renameClient(storage: Storage, typed: string, name: string): Promise<Renamed<Client>> {
  const validName = validatePathSegment('client', name)
  return editCatalog(storage, async (edit) => {
    const { id, name: before } = await findClient(edit.queries, typed)
    const existing = await findByName(edit.queries, 'clients', validName)
    if (existing && existing.id !== id) throw renameToExisting('client', before, existing.name)
    await edit.update('clients', id, { name: validName })
    return { from: [before], to: [validName], record: await readClient(edit, id) }
  })
}

/** Combines a client with another one, which remains. Throws TtError `not_found`, and `usage` for the same client. */
export async function mergeClients(
  storage: Storage,
  names: { from: string; into: string },
  now: Date,
): Promise<Renamed<Client>> {
  return editCatalog(storage, async (edit) => {
    const [from, into] = [
      await findClient(edit.queries, names.from),
      await findClient(edit.queries, names.into),
    ]
    if (from.id === into.id) throw mergeWithItself('client', from.name)
    await mergeClient(edit, from.id, into.id, now)
    return { from: [from.name], to: [into.name], record: await readClient(edit, into.id) }
  })
}

/** Restores or archives a client with its projects and their tasks. Throws TtError `not_found`. */
export async function setClientActive(storage: Storage, typed: string, active: boolean): Promise<Client> {
  return editCatalog(storage, async (edit) => {
    const { id } = await findClient(edit.queries, typed)
    await edit.update('clients', id, { active: active ? 1 : 0 })
    for (const project of await projectsOf(edit, id)) await setActiveProject(edit, project.id, active)
    return readClient(edit, id)
  })
}

/** Deletes a client without projects. Throws TtError `not_found`, and `usage` for a client that has projects. */
export async function removeClient(storage: Storage, typed: string): Promise<Client> {
  return editCatalog(storage, async (edit) => {
    const { id, name } = await findClient(edit.queries, typed)
    const record = await readClient(edit, id)
    const projects = await projectsOf(edit, id)
    if (projects.length > 0)
      throw usedRecord('client', name, `has projects: ${projects.map((project) => project.name).join(', ')}`)
    await edit.remove('clients', id)
    return record
  })
}

function projectsOf(edit: CatalogEdit, client: number): Promise<{ id: number; name: string }[]> {
  return edit.queries.all(sql`select id, name from projects where client_id = ${client} order by name`)
}

async function readClient(edit: CatalogEdit, id: number): Promise<Client> {
  const row = await edit.row('clients', id)
  if (!row) throw new Error(`There is no client ${id}.`)
  return toRecord(records.client, row)
}
