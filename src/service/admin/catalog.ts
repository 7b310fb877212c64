import type { Kysely } from 'kysely'
import type { Client, Project, Task, TaskLink } from '../../api/types.js'
import { TtError } from '../../lib/errors.js'
import * as resources from '../resources/resources.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import {
  findOrCreateByName,
  findOrCreateProject,
  findProject,
  insertByName,
  insertProject,
  type ProjectRow,
  requireActive,
} from './find-or-create.js'
import { duplicateNameError, validatePathSegment } from './names.js'

/** A project with the name of its client. */
export type ProjectWithClient = Project & { client: string | null }

/** Adds a client. Throws TtError `usage` for a name that is in use or cannot be used. */
export async function addClient({ db }: Storage, name: string): Promise<Client> {
  const checked = validatePathSegment('client', name)
  const client = await insertByName(db, 'clients', checked)
  if (!client) throw duplicateNameError('client', checked)
  return client
}

/** All clients by name. */
export async function listClients({ db }: Storage): Promise<Client[]> {
  return db.selectFrom('clients').selectAll().orderBy('name').execute()
}

/** Adds an active project, and its client where there is none of that name. Throws TtError `usage` like `addClient`. */
export async function addProject(
  { db }: Storage,
  { name, client }: { name: string; client?: string | undefined },
): Promise<ProjectWithClient> {
  const checked = validatePathSegment('project', name)
  return db.transaction().execute(async (transaction) => {
    const clientId =
      client === undefined ? null : await findOrCreateByName(transaction, 'clients', 'client', client)
    const project = await insertProject(transaction, checked, clientId)
    if (!project)
      throw duplicateNameError('project', client === undefined ? checked : `${client.trim()}/${checked}`)
    return withClient(transaction, project)
  })
}

/** All projects by name, each with the name of its client under `client`. */
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
 * Puts the project at `path` (Client/Project or Project) and all its task links into or out of use.
 *
 * Throws TtError `not_found`, and `usage` when several projects have that name.
 */
export async function setProjectActive(
  { db }: Storage,
  path: string,
  active: boolean,
): Promise<ProjectWithClient> {
  return db.transaction().execute(async (transaction) => {
    const project = await findProject(transaction, path)
    const changes = { active: active ? 1 : 0 }
    await transaction.updateTable('projects').set(changes).where('id', '=', project.id).execute()
    await transaction.updateTable('task_links').set(changes).where('project_id', '=', project.id).execute()
    return withClient(transaction, { ...project, ...changes })
  })
}

/**
 * Adds a task, or only links one that is there with the project at the path `project`.
 *
 * Throws TtError `usage` when there is nothing to add, `not_found` for an unknown project.
 */
export async function addTask(
  { db }: Storage,
  { name, project }: { name: string; project?: string | undefined },
): Promise<Task> {
  const checked = validatePathSegment('task', name)
  return db.transaction().execute(async (transaction) => {
    const added = await insertByName(transaction, 'tasks', checked)
    if (project === undefined) {
      if (!added) throw duplicateNameError('task', checked)
      return added
    }
    const owner = await findProject(transaction, project)
    requireActive(owner)
    const id = added?.id ?? (await findOrCreateByName(transaction, 'tasks', 'task', checked))
    const link = await transaction
      .insertInto('task_links')
      .values({ project_id: owner.id, task_id: id, active: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!link) throw duplicateNameError('task', `${project}/${checked}`)
    return { id, name: checked }
  })
}

/** All tasks by name. */
export async function listTasks({ db }: Storage): Promise<Task[]> {
  return db.selectFrom('tasks').selectAll().orderBy('name').execute()
}

/**
 * The task link of a project and a task, made with whatever it lacks; the same one when it is there already.
 *
 * Without `client`, the project of that name without a client, or else the only one of that name.
 * Throws TtError `usage` for a name that cannot be used, several such projects, or a link that is out of use.
 */
export async function addLink(
  { db }: Storage,
  names: { client?: string | undefined; project: string; task: string },
): Promise<TaskLink> {
  return db.transaction().execute(async (transaction) => {
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
    throw new TtError('usage', `The task "${names.task}" of "${project.name}" is out of use.`)
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
