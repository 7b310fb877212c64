import type { Task, TaskLink } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'
import { segmentsOf } from '../../../lib/text/match-names.js'
import { fold } from '../../../lib/text/nearest-names.js'
import * as records from '../../../records/records.js'
import { type Row, toRecord } from '../../resources/fields.js'
import { sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { duplicateNameError, validatePathSegment } from '../validate-name.js'
import {
  type CatalogEdit,
  editCatalog,
  mergeLink,
  mergeTask,
  mergeWithItself,
  type Renamed,
  removeUnusedTask,
  renameToExisting,
  usedRecord,
} from './catalog-edit.js'
import {
  type FoundLink,
  findByName,
  findLink,
  findOrCreateByName,
  findOrCreateProject,
  findProject,
  findTask,
  listFoundLinks,
  requireActive,
} from './find-records.js'
import { listProjects, splitPath } from './projects.js'

/** A task of a project, with their names. */
export interface TaskWithProject extends TaskLink {
  label: string
  client: string | null
  client_id: number | null
  project: string
  task: string
}

/** A task that was renamed or merged: in one project, or with null in each of its projects. */
export interface RenamedTask extends Renamed<TaskWithProject[]> {
  /** The paths of the projects that have the task. */
  projects: string[]
}

/**
 * Adds a task to a project at a path, Client/Project/Task or Project/Task. The project has to exist.
 *
 * Throws TtError `usage` for another path and for a task that exists already, `not_found` for an unknown project.
 */
export async function addTask(storage: Storage, path: string): Promise<TaskWithProject> {
  const { name, parent } = splitPath('task', path)
  const validName = validatePathSegment('task', name)
  if (parent === undefined)
    throw new TtError('usage', `"${path}" names no project.`, { hint: `Write Project/${validName}.` })
  return editCatalog(storage, async (edit) => {
    const project = await findProject(edit.queries, parent)
    requireActive('project', { ...project, name: project.path })
    const taskId = await findOrCreateByName(edit, 'tasks', 'task', validName)
    const link = await edit.insert('task_links', { project_id: project.id, task_id: taskId, active: 1 })
    const task = await edit.row('tasks', taskId)
    if (!link) throw duplicateNameError('task', `${project.path}/${task?.name}`)
    return readLink(edit, link.id)
  })
}

/** Returns all tasks, by name. */
export async function listTasks({ queries }: Storage): Promise<Task[]> {
  return queries.all<Task>(sql`select id, name from tasks order by name`)
}

/** Returns all task links, by ID. */
export async function listLinks({ queries }: Storage): Promise<TaskLink[]> {
  const rows = await queries.all<Row>(sql`select * from task_links order by id`)
  return rows.map((row) => toRecord(records.taskLink, row))
}

/** Returns the tasks of all projects, by path, including archived ones. */
export async function listProjectTasks({ queries }: Storage): Promise<TaskWithProject[]> {
  return (await listFoundLinks(queries)).map(withNames)
}

/** Returns the names of all clients, projects and tasks, each with those above it; null for no client. */
export async function listNames(storage: Storage): Promise<(string | null)[][]> {
  const { queries } = storage
  const clients = await queries.all<{ name: string }>(sql`select name from clients`)
  return [
    ...clients.map(({ name }) => [name]),
    ...(await listProjects(storage)).map(({ client, name }) => [client, name]),
    ...(await listFoundLinks(queries)).map(namesOf),
  ]
}

/**
 * Finds or creates the task link of a project and a task, with its client, project and task.
 *
 * Without `client`, it takes the project of that name without a client, or else the only project of that name.
 * Throws TtError `usage` for an invalid name, several matching projects, or an archived project or link.
 */
export async function addLink(
  storage: Pick<Storage, 'queries' | 'journal'>,
  names: { client?: string | undefined; project: string; task: string },
): Promise<TaskLink> {
  return editCatalog(storage, async (edit) => {
    const project = await findOrCreateProject(edit, names)
    requireActive('project', project)
    const taskId = await findOrCreateByName(edit, 'tasks', 'task', names.task)
    await edit.insert('task_links', { project_id: project.id, task_id: taskId, active: 1 })
    const [link] = await edit.queries.all<Row>(
      sql`select * from task_links where project_id = ${project.id} and task_id = ${taskId}`,
    )
    if (link?.active === 1) return toRecord(records.taskLink, link)
    throw new TtError('usage', `The task "${names.task}" of "${project.name}" is archived.`)
  })
}

/**
 * Returns the paths of the projects in which `renameTask` and `mergeTasks` change the task. Throws TtError `not_found` and
 * `usage` like these.
 */
export async function projectsOfTask({ queries }: Storage, typed: string): Promise<string[]> {
  const links = await listFoundLinks(queries)
  if (isOneProject(typed, links)) return [(await findLink(queries, typed)).projectPath]
  const { id } = await findTask(queries, typed)
  return links.filter(({ task_id }) => task_id === id).map(({ projectPath }) => projectPath)
}

/**
 * Renames a task in each of its projects; with a path such as Project/Task, only in that project. Entries keep their task
 * link. Throws TtError `not_found`, and `usage` for a name that another task has.
 */
export async function renameTask(storage: Storage, typed: string, name: string): Promise<RenamedTask> {
  const newName = validatePathSegment('task', name)
  return editCatalog(storage, async (edit) => {
    const links = await listFoundLinks(edit.queries)
    if (isOneProject(typed, links)) return renameLink(edit, await findLink(edit.queries, typed), newName)
    const { id, name: before } = await findTask(edit.queries, typed)
    const existing = await findByName(edit.queries, 'tasks', newName)
    if (existing && existing.id !== id) throw renameToExisting('task', before, existing.name)
    await edit.update('tasks', id, { name: newName })
    const records = (await listFoundLinks(edit.queries)).filter(({ task_id }) => task_id === id)
    return {
      ...{ from: [null, null, before], to: [null, null, newName] },
      ...{ record: records.map(withNames), projects: records.map(({ projectPath }) => projectPath) },
    }
  })
}

async function renameLink(edit: CatalogEdit, link: FoundLink, name: string): Promise<RenamedTask> {
  const others = (await listFoundLinks(edit.queries)).filter(({ id }) => id !== link.id)
  const existing = others.find(
    ({ project_id, task }) => project_id === link.project_id && fold(task) === fold(name),
  )
  if (existing) throw renameToExisting('task', link.path, existing.path)
  const isShared = others.some(({ task_id }) => task_id === link.task_id)
  const named = await findByName(edit.queries, 'tasks', name)
  if (!isShared && (!named || named.id === link.task_id)) await edit.update('tasks', link.task_id, { name })
  else {
    const taskId = await findOrCreateByName(edit, 'tasks', 'task', name)
    if (taskId === link.task_id) throw sharedName(link, name)
    await edit.update('task_links', link.id, { task_id: taskId })
    await removeUnusedTask(edit, link.task_id)
  }
  const record = await readLink(edit, link.id)
  return {
    ...{ from: namesOf(link), to: [record.client, record.project, record.task] },
    ...{ record: [record], projects: [link.projectPath] },
  }
}

/** The projects share one task, whose name cannot differ by case or accents. */
function sharedName({ task, path }: FoundLink, name: string): TtError {
  return new TtError(
    'usage',
    `Other projects have the task "${task}", too: "${path}" cannot be called "${name}".`,
    {
      hint: `Rename ${task} without a project to change it everywhere.`,
    },
  )
}

/**
 * Combines a task with another one in each of its projects; with paths such as Project/Task, one task of a project with
 * another one. A second name without a project is that of a task in the same project.
 *
 * Throws TtError `not_found`, and `usage` for the same task.
 */
export async function mergeTasks(
  storage: Storage,
  names: { from: string; into: string },
  now: Date,
): Promise<RenamedTask> {
  return editCatalog(storage, async (edit) => {
    const links = await listFoundLinks(edit.queries)
    if (isOneProject(names.from, links)) {
      const from = await findLink(edit.queries, names.from)
      const path = isOneProject(names.into, links) ? names.into : `${from.projectPath}/${names.into}`
      return mergeLinks(edit, from, await findLink(edit.queries, path), now)
    }
    if (isOneProject(names.into, links))
      throw new TtError('usage', `"${names.from}" names no project, but "${names.into}" does.`, {
        hint: 'Write both as Project/Task, or both as Task.',
      })
    const [from, into] = [await findTask(edit.queries, names.from), await findTask(edit.queries, names.into)]
    if (from.id === into.id) throw mergeWithItself('task', from.name)
    const projects = links.filter(({ task_id }) => task_id === from.id).map(({ project_id }) => project_id)
    await mergeTask(edit, from.id, into.id, now)
    const records = (await listFoundLinks(edit.queries)).filter(
      ({ task_id, project_id }) => task_id === into.id && projects.includes(project_id),
    )
    return {
      ...{ from: [null, null, from.name], to: [null, null, into.name] },
      ...{ record: records.map(withNames), projects: records.map(({ projectPath }) => projectPath) },
    }
  })
}

async function mergeLinks(
  edit: CatalogEdit,
  from: FoundLink,
  into: FoundLink,
  now: Date,
): Promise<RenamedTask> {
  if (from.id === into.id) throw mergeWithItself('task', from.path)
  await mergeLink(edit, from.id, into.id, now)
  await removeUnusedTask(edit, from.task_id)
  return {
    ...{ from: namesOf(from), to: namesOf(into) },
    ...{ record: [await readLink(edit, into.id)], projects: [from.projectPath] },
  }
}

/** Restores or archives a task of a project. Throws TtError `not_found`, and `usage` when several match. */
export async function setTaskActive(
  storage: Storage,
  typed: string,
  active: boolean,
): Promise<TaskWithProject> {
  return editCatalog(storage, async (edit) => {
    const { id, project_id, projectPath } = await findLink(edit.queries, typed)
    const row = await edit.row('projects', project_id)
    if (active) requireActive('project', { name: projectPath, active: Number(row?.active) })
    await edit.update('task_links', id, { active: active ? 1 : 0 })
    return readLink(edit, id)
  })
}

/** Deletes a task of a project. Throws TtError `not_found`, and `usage` for a task with entries. */
export async function removeTask(storage: Storage, typed: string): Promise<TaskWithProject> {
  return editCatalog(storage, async (edit) => {
    const link = await findLink(edit.queries, typed)
    if (await edit.isUsed('task_links', link.id)) throw usedRecord('task', link.path, 'has entries')
    await edit.remove('task_links', link.id)
    await removeUnusedTask(edit, link.task_id)
    return withNames(link)
  })
}

/** Whether typed text names the task of one project: by a path, or by the ID of the task. */
function isOneProject(typed: string, links: readonly FoundLink[]): boolean {
  return segmentsOf(typed).length > 1 || links.some(({ id }) => String(id) === typed.trim())
}

function namesOf({ client, project, task }: FoundLink): (string | null)[] {
  return [client, project, task]
}

async function readLink(edit: CatalogEdit, id: number): Promise<TaskWithProject> {
  const link = (await listFoundLinks(edit.queries)).find((other) => other.id === id)
  if (!link) throw new Error(`There is no task link ${id}.`)
  return withNames(link)
}

function withNames(link: FoundLink): TaskWithProject {
  const { client, client_id, project, task } = link
  return {
    ...toRecord(records.taskLink, { ...link }),
    ...{ label: link.path.split('/').join(' / '), client, client_id, project, task },
  }
}
