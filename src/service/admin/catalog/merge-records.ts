import { fold } from '../../../lib/text/nearest-names.js'
import { identifier, sql } from '../../storage/sql.js'
import type { CatalogEdit, CatalogRow } from './catalog-edit.js'

/** Moves the projects of a client to another one, combines those with equal names, and deletes the client. */
export async function mergeClient(edit: CatalogEdit, from: number, into: number, now: Date): Promise<void> {
  const projects = await edit.queries.all<{ id: number; name: string; client_id: number }>(
    sql`select id, name, client_id from projects where client_id in (${from}, ${into}) order by id`,
  )
  const existing = projects.filter(({ client_id }) => client_id === into)
  for (const { id, name } of projects.filter(({ client_id }) => client_id === from)) {
    const equal = existing.find((other) => fold(other.name) === fold(name))
    if (equal) await mergeProject(edit, id, equal.id, now)
    else await edit.update('projects', id, { client_id: into })
  }
  await edit.remove('clients', from)
}

/** Moves the tasks, expenses and assignments of a project to another one, combines equal ones, and deletes the project. */
export async function mergeProject(edit: CatalogEdit, from: number, into: number, now: Date): Promise<void> {
  const links = await linksOf(edit, 'project_id', from, into)
  const target = await edit.row('projects', into)
  for (const { id, task_id, active } of links.filter(({ project_id }) => project_id === from)) {
    const equal = links.find((other) => other.project_id === into && other.task_id === task_id)
    if (equal) await mergeLink(edit, id, equal.id, now)
    // An archived project has no active task.
    else await edit.update('task_links', id, { project_id: into, active: target?.active === 1 ? active : 0 })
  }
  await edit.move({ table: 'expenses', column: 'project_id', from, to: into }, now)
  await mergeAssignments(edit, from, into)
  await edit.remove('projects', from)
}

/** Moves a task to another one in each of its projects, combines tasks that both projects have, and deletes the task. */
export async function mergeTask(edit: CatalogEdit, from: number, into: number, now: Date): Promise<void> {
  const links = await linksOf(edit, 'task_id', from, into)
  for (const { id, project_id } of links.filter(({ task_id }) => task_id === from)) {
    const equal = links.find((other) => other.task_id === into && other.project_id === project_id)
    if (equal) await mergeLink(edit, id, equal.id, now)
    else await edit.update('task_links', id, { task_id: into })
  }
  await edit.remove('tasks', from)
}

/** Moves the entries of a task link to another one, and deletes the link. The other one is active if one of them was. */
export async function mergeLink(edit: CatalogEdit, from: number, into: number, now: Date): Promise<void> {
  await edit.move({ table: 'time_entries', column: 'task_link_id', from, to: into }, now)
  const [merged, target] = [await edit.row('task_links', from), await edit.row('task_links', into)]
  const project = target && (await edit.row('projects', Number(target.project_id)))
  if (merged?.active === 1 && project?.active === 1) await edit.update('task_links', into, { active: 1 })
  await edit.remove('task_links', from)
}

/** Deletes a task if it has no project. */
export async function removeUnusedTask(edit: CatalogEdit, id: number): Promise<void> {
  if (!(await edit.isUsed('tasks', id))) await edit.remove('tasks', id)
}

async function mergeAssignments(edit: CatalogEdit, from: number, into: number): Promise<void> {
  const assignments = await edit.queries.all<CatalogRow>(
    sql`select * from assignments where project_id in (${from}, ${into}) order by id`,
  )
  const kept = new Set<string>()
  const keyOf = (row: CatalogRow) => JSON.stringify([row.user_id, row.starts_on, row.ends_on])
  for (const row of assignments) if (row.project_id === into) kept.add(keyOf(row))
  for (const row of assignments.filter(({ project_id }) => project_id === from)) {
    if (kept.has(keyOf(row))) await edit.remove('assignments', row.id)
    else await edit.update('assignments', row.id, { project_id: into })
    kept.add(keyOf(row))
  }
}

interface LinkRow {
  id: number
  project_id: number
  task_id: number
  active: number
}

function linksOf(edit: CatalogEdit, column: 'project_id' | 'task_id', from: number, into: number) {
  return edit.queries.all<LinkRow>(
    sql`select * from task_links where ${identifier(column)} in (${from}, ${into}) order by id`,
  )
}
