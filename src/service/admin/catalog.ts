import type { Kysely } from 'kysely'
import type { Client, Project, Task, TaskLink } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import * as resources from '../resources/resources.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { inTransaction } from '../storage/transaction.js'
import {
  findOrCreateByName,
  findOrCreateProject,
  insertByName,
  insertProject,
  type ProjectRow,
  requireActive,
} from './find-or-create.js'
import { findProject } from './find-project.js'
import { duplicateNameError, validatePathSegment } from './validate-name.js'

/** A project with the name of its client. */
export type ProjectWithClient = Project & { client: string | null }

/** Returns all clients, by name. */
export async function listClients({ db }: Storage): Promise<Client[]> {
  return db.selectFrom('clients').selectAll().orderBy('name').execute()
}

/**
 * Adds an active project, and its client if it does not exist. The name may be a path, Client/Project, instead of
 * `client`. Throws TtError `usage` for an invalid name or one that is in use.
 */
export async function addProject(
  { db }: Storage,
  { name: typed, client: typedClient }: { name: string; client?: string | undefined },
): Promise<ProjectWithClient> {
  const { name, parent } = splitPath('project', typed)
  if (parent !== undefined && typedClient !== undefined)
    throw new TtError('usage', `"${typed}" contains a client already.`, { hint: 'Name the client once.' })
  const client = parent ?? typedClient
  const validName = validatePathSegment('project', name)
  return inTransaction(db, async (transaction) => {
    const clientId =
      client === undefined ? null : await findOrCreateByName(transaction, 'clients', 'client', client)
    const project = await insertProject(transaction, validName, clientId)
    if (!project)
      throw duplicateNameError('project', client === undefined ? validName : `${client.trim()}/${validName}`)
    return withClient(transaction, project)
  })
}

/** Splits a path into the last name and the path before it, if there is one. */
function splitPath(kind: string, path: string): { name: string; parent: string | undefined } {
  const end = path.lastIndexOf('/')
  if (end < 0) return { name: path, parent: undefined }
  const parent = path.slice(0, end).trim()
  if (parent === '') throw new TtError('usage', `"${path}" has an empty name before that of the ${kind}.`)
  return { name: path.slice(end + 1), parent }
}

/** Returns all projects, by name, each with the name of its client under `client`. */
export async function listProjects({ db }: Storage): Promise<ProjectWithClient[]> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('clients', 'clients.id', 'projects.client_id')
    .select([
      'projects.id',
      'projects.name',
      'projects.client_id',
      'projects.active',
      'clients.name as client',
    ])
    .orderBy('projects.name')
    .orderBy('projects.id')
    .execute()
  return rows.map((row) => ({ ...resources.toWire(resources.projects, row), client: row.client }))
}

/**
 * Restores or archives the project at `path` (Client/Project or Project) with all its task links.
 *
 * Throws TtError `not_found`, and `usage` when several projects have that name.
 */
export async function setProjectActive(
  { db }: Storage,
  path: string,
  active: boolean,
): Promise<ProjectWithClient> {
  return inTransaction(db, async (transaction) => {
    const project = await findProject(transaction, path)
    const changes = { active: active ? 1 : 0 }
    await transaction.updateTable('projects').set(changes).where('id', '=', project.id).execute()
    await transaction.updateTable('task_links').set(changes).where('project_id', '=', project.id).execute()
    return withClient(transaction, { ...project, ...changes })
  })
}

/**
 * Adds a task if it does not exist, and links it with a project if there is one: that of the path in `name`,
 * Client/Project/Task or Project/Task, or `project`. Returns the path of the project as well.
 *
 * Throws TtError `usage` when the task and the link exist already, `not_found` for an unknown project.
 */
export async function addTask(
  { db }: Storage,
  { name: typed, project: typedProject }: { name: string; project?: string | undefined },
): Promise<Task & { project: string | undefined }> {
  const { name, parent: typedParent } = splitPath('task', typed)
  if (typedParent !== undefined && typedProject !== undefined)
    throw new TtError('usage', `"${typed}" contains a project already.`, { hint: 'Name the project once.' })
  const validName = validatePathSegment('task', name)
  return inTransaction(db, async (transaction) => {
    const path = typedParent ?? typedProject
    const parent = path === undefined ? undefined : await findProject(transaction, path)
    if (!parent) {
      const added = await insertByName(transaction, 'tasks', validName)
      if (!added) throw duplicateNameError('task', validName)
      return { ...added, project: undefined }
    }
    requireActive(parent)
    const id = await findOrCreateByName(transaction, 'tasks', 'task', validName)
    const link = await transaction
      .insertInto('task_links')
      .values({ project_id: parent.id, task_id: id, active: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    const task = await transaction
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (!link) throw duplicateNameError('task', `${parent.path}/${task.name}`)
    return { ...task, project: parent.path }
  })
}

/** Returns all tasks, by name. */
export async function listTasks({ db }: Storage): Promise<Task[]> {
  return db.selectFrom('tasks').selectAll().orderBy('name').execute()
}

/** Returns all task links, by ID. */
export async function listLinks({ db }: Storage): Promise<TaskLink[]> {
  const rows = await db.selectFrom('task_links').selectAll().orderBy('id').execute()
  return rows.map((row) => resources.toWire(resources.taskLinks, row))
}

/**
 * Finds or creates the task link of a project and a task, with its client, project and task.
 *
 * Without `client`, it takes the project of that name without a client, or else the only project of that name.
 * Throws TtError `usage` for an invalid name, several matching projects, or an archived project or link.
 */
export async function addLink(
  { db }: Storage,
  names: { client?: string | undefined; project: string; task: string },
): Promise<TaskLink> {
  return inTransaction(db, async (transaction) => {
    const project = await findOrCreateProject(transaction, names)
    requireActive(project)
    const taskId = await findOrCreateByName(transaction, 'tasks', 'task', names.task)
    const pair = { project_id: project.id, task_id: taskId }
    await transaction
      .insertInto('task_links')
      .values({ ...pair, active: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const link = await transaction
      .selectFrom('task_links')
      .select(['id', 'project_id', 'task_id', 'active'])
      .where('project_id', '=', pair.project_id)
      .where('task_id', '=', pair.task_id)
      .executeTakeFirstOrThrow()
    if (link.active === 1) return resources.toWire(resources.taskLinks, link)
    throw new TtError('usage', `The task "${names.task}" of "${project.name}" is archived.`)
  })
}

async function withClient(db: Kysely<Schema>, project: ProjectRow): Promise<ProjectWithClient> {
  const client = await db
    .selectFrom('clients')
    .select('name')
    .where('id', '=', project.client_id)
    .executeTakeFirst()
  return { ...resources.toWire(resources.projects, project), client: client?.name ?? null }
}
