import type { Sqlite } from '../../lib/sqlite/connection.js'
import { ownerEmail } from './schema.js'
import { type Sql, sql } from './sql.js'
import { createSqliteQueries } from './sqlite.js'

/** The reference data that has names. */
export type NameList = 'projects' | 'clients' | 'tasks' | 'types'

type Row = Record<string, unknown>

/**
 * Returns read-only queries of a workspace database that may be open elsewhere: they start no service and create and change
 * nothing. Only the records of the owner of the local workspace are read.
 */
export function workspaceRecords(database: Sqlite) {
  const { all } = createSqliteQueries(database)
  return {
    /** Returns the active task links with their names, those most used in the owner's latest entries first. */
    linksByUse: (entryLimit: number) =>
      all<Row>(sql`
        select task_links.id, projects.id as project_id, projects.name as project, tasks.id as task_id,
          tasks.name as task, clients.id as client_id, clients.name as client
        from task_links
          join projects on projects.id = task_links.project_id
          join tasks on tasks.id = task_links.task_id
          left join clients on clients.id = projects.client_id
          left join (
            select task_link_id, count(*) as uses from (
              select task_link_id from time_entries where ${isOfOwner} order by time_start desc limit ${entryLimit})
            group by task_link_id
          ) as used on used.task_link_id = task_links.id
        where task_links.active = 1 and projects.active = 1
        order by coalesce(uses, 0) desc, client, project, task`),

    /** Returns `name` and `description` of the records of a list, by name. */
    names: (list: NameList) => all<Row>(nameQueries[list]),

    /** Returns the owner's latest entries, newest first, with times in epoch milliseconds. */
    latestEntries: (limit: number) =>
      all<Row>(sql`
        select id, time_start, time_end, notes, task_link_id from time_entries
        where ${isOfOwner} order by time_start desc, id desc limit ${limit}`),

    /** Returns the notes of the owner's latest entries that contain a text, newest first. */
    notesContaining: (text: string, limit: number) =>
      all<{ notes: string }>(sql`
        select notes from time_entries
        where ${isOfOwner} and instr(notes, ${text}) > 0 order by time_start desc, id desc limit ${limit}`),

    /** Returns the owner's latest expenses, newest first, with the name of their type. */
    latestExpenses: (limit: number) =>
      all<Row>(sql`
        select expenses.id, spent_on, amount, currency, expense_types.name, notes
        from expenses left join expense_types on expense_types.id = expense_type_id
        where ${isOfOwner} order by spent_on desc, expenses.id desc limit ${limit}`),
  }
}

const isOfOwner = sql`user_id = (select id from users where email = ${ownerEmail})`

const nameQueries: Record<NameList, Sql> = {
  projects: sql`
    select projects.name, coalesce(clients.name, '') as description
    from projects left join clients on clients.id = client_id order by projects.name`,
  clients: sql`select name, '' as description from clients order by name`,
  tasks: sql`select name, '' as description from tasks order by name`,
  types: sql`select name, '' as description from expense_types where active = 1 order by name`,
}
