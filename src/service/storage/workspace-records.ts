import type { Sqlite } from '../../lib/sqlite/connection.js'
import { ownerEmail } from './owner.js'

/**
 * Read-only queries of a workspace database that may be open elsewhere: they start no service and create and change
 * nothing. Only the records of the owner of the local workspace are read.
 */

/** The reference data that has names. */
export type NameList = 'projects' | 'clients' | 'tasks' | 'types'

type Row = Record<string, unknown>

const owner = `(SELECT id FROM users WHERE email = '${ownerEmail}')`

/** Returns the active task links with their names, those most used in the owner's latest entries first. */
export function linksByUse(database: Sqlite, entryLimit: number): Row[] {
  return database.prepare(linkQuery).all([entryLimit]) as Row[]
}

/** Returns `name` and `description` of the records of a list, by name. */
export function listedNames(database: Sqlite, list: NameList): Row[] {
  return database.prepare(nameQueries[list]).all() as Row[]
}

/** Returns the owner's latest entries, newest first, with times in epoch milliseconds. */
export function latestEntries(database: Sqlite, limit: number): Row[] {
  return database.prepare(entryQuery).all([limit]) as Row[]
}

/** Returns the notes of the owner's latest entries that contain a text, newest first. */
export function notesContaining(database: Sqlite, text: string, limit: number): string[] {
  const rows = database.prepare(notesQuery).all([text, limit]) as { notes: string }[]
  return rows.map(({ notes }) => notes)
}

/** Returns the owner's latest expenses, newest first, with the name of their type. */
export function latestExpenses(database: Sqlite, limit: number): Row[] {
  return database.prepare(expenseQuery).all([limit]) as Row[]
}

const linkQuery = `
  SELECT task_links.id, projects.id AS project_id, projects.name AS project, tasks.id AS task_id, tasks.name AS task,
    clients.id AS client_id, clients.name AS client
  FROM task_links
    JOIN projects ON projects.id = task_links.project_id
    JOIN tasks ON tasks.id = task_links.task_id
    LEFT JOIN clients ON clients.id = projects.client_id
    LEFT JOIN (
      SELECT task_link_id, count(*) AS uses
      FROM (SELECT task_link_id FROM time_entries WHERE user_id = ${owner} ORDER BY time_start DESC LIMIT ?)
      GROUP BY task_link_id
    ) AS used ON used.task_link_id = task_links.id
  WHERE task_links.active = 1 AND projects.active = 1
  ORDER BY coalesce(uses, 0) DESC, client, project, task`

const entryQuery = `
  SELECT id, time_start, time_end, notes, task_link_id FROM time_entries
  WHERE user_id = ${owner} ORDER BY time_start DESC, id DESC LIMIT ?`

const notesQuery = `
  SELECT notes FROM time_entries
  WHERE user_id = ${owner} AND instr(notes, ?) > 0 ORDER BY time_start DESC, id DESC LIMIT ?`

const expenseQuery = `
  SELECT expenses.id, spent_on, amount, currency, expense_types.name, notes
  FROM expenses LEFT JOIN expense_types ON expense_types.id = expense_type_id
  WHERE user_id = ${owner} ORDER BY spent_on DESC, expenses.id DESC LIMIT ?`

const nameQueries: Record<NameList, string> = {
  projects: `
    SELECT projects.name, coalesce(clients.name, '') AS description
    FROM projects LEFT JOIN clients ON clients.id = client_id ORDER BY projects.name`,
  clients: "SELECT name, '' AS description FROM clients ORDER BY name",
  tasks: "SELECT name, '' AS description FROM tasks ORDER BY name",
  types: "SELECT name, '' AS description FROM expense_types WHERE active = 1 ORDER BY name",
}
