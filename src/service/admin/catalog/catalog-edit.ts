import { TtError } from '../../../lib/errors.js'
import { fold } from '../../../lib/text/nearest-names.js'
import type { Queries } from '../../storage/queries.js'
import { assignSql, identifier, insertInto, joinSql, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'

/** The tables that changes of names write, except for the references of entries and expenses. */
export type CatalogTable = 'clients' | 'projects' | 'tasks' | 'task_links' | 'assignments' | 'expense_types'

/** A row of one of these tables. */
export type CatalogRow = {
  id: number
  name?: string | undefined
  active?: number | undefined
  client_id?: number | null | undefined
  project_id?: number | undefined
  task_id?: number | undefined
  user_id?: number | undefined
  starts_on?: string | null | undefined
  ends_on?: string | null | undefined
}

/** A change of one row; null where it does not exist. */
interface RowStep {
  table: CatalogTable
  id: number
  before: CatalogRow | null
  after: CatalogRow | null
}

/** The records of users that refer to another row than before. */
export interface MoveStep {
  table: 'time_entries' | 'expenses'
  column: 'task_link_id' | 'project_id'
  from: number
  to: number
  ids: number[]
}

/** A part of a change, with what is needed to revert it. */
export type CatalogStep = RowStep | MoveStep

/** A change of clients, projects, tasks or expense types within a transaction; `steps` receives its parts. */
export class CatalogEdit {
  readonly queries: Queries
  readonly #steps: CatalogStep[]

  constructor(queries: Queries, steps: CatalogStep[]) {
    this.queries = queries
    this.#steps = steps
  }

  /** Adds a row and returns it; undefined if another row has its name. */
  async insert(table: CatalogTable, values: Partial<CatalogRow>): Promise<CatalogRow | undefined> {
    const [row] = await this.queries.all<CatalogRow>(
      sql`${insertInto(table, values)} on conflict do nothing returning *`,
    )
    if (row) this.#steps.push({ table, id: row.id, before: null, after: row })
    return row
  }

  /** Changes columns of a row. */
  async update(table: CatalogTable, id: number, changes: Partial<CatalogRow>): Promise<void> {
    const before = await this.row(table, id)
    if (!before) throw new Error(`There is no row ${id} in ${table}.`)
    const after = { ...before, ...changes }
    if (isSameRow(before, after)) return
    await this.queries.all(sql`update ${identifier(table)} set ${assignSql(changes)} where id = ${id}`)
    this.#steps.push({ table, id, before, after })
  }

  /** Deletes a row that nothing refers to. */
  async remove(table: CatalogTable, id: number): Promise<void> {
    const before = await this.row(table, id)
    if (!before) return
    await this.queries.all(sql`delete from ${identifier(table)} where id = ${id}`)
    this.#steps.push({ table, id, before, after: null })
  }

  /** Lets entries or expenses refer to another row; only those with these IDs, if they are given. */
  async move(
    { table, column, from, to }: Omit<MoveStep, 'ids'>,
    now: Date,
    only?: readonly number[],
  ): Promise<void> {
    const at = now.getTime()
    const ids: number[] = []
    for (const part of only ? chunks(only) : [undefined]) {
      const rows = await this.queries.all<{ id: number }>(sql`
        update ${identifier(table)} set ${assignSql({ [column]: to })},
          updated_at = case when updated_at < ${at} then ${at} else updated_at + 1 end
        where ${identifier(column)} = ${from} ${part ? sql`and id in (${joinSql(part)})` : sql``}
        returning id`)
      for (const { id } of rows) ids.push(id)
    }
    if (ids.length > 0) this.#steps.push({ table, column, from, to, ids })
  }

  /** Returns a row; undefined if it does not exist. */
  async row(table: CatalogTable, id: number): Promise<CatalogRow | undefined> {
    const [row] = await this.queries.all<CatalogRow>(sql`select * from ${identifier(table)} where id = ${id}`)
    return row
  }

  /** Whether anything refers to a row, such as an entry to a task link. */
  async isUsed(table: CatalogTable, id: number): Promise<boolean> {
    for (const [user, column] of references[table]) {
      const [use] = await this.queries.all(
        sql`select 1 as used from ${identifier(user)} where ${identifier(column)} = ${id} limit 1`,
      )
      if (use) return true
    }
    return false
  }
}

/** The columns that refer to rows of each table. */
export const references: Readonly<
  Record<CatalogTable, readonly (readonly [table: string, column: string])[]>
> = {
  clients: [['projects', 'client_id']],
  projects: [
    ['task_links', 'project_id'],
    ['assignments', 'project_id'],
    ['expenses', 'project_id'],
  ],
  tasks: [['task_links', 'task_id']],
  task_links: [['time_entries', 'task_link_id']],
  assignments: [],
  expense_types: [['expenses', 'expense_type_id']],
}

/** Runs a change in a transaction, or in that of the storage; the journal of the storage receives its steps. */
export function editCatalog<Result>(
  { queries, journal = [] }: Pick<Storage, 'queries' | 'journal'>,
  work: (edit: CatalogEdit) => Promise<Result>,
): Promise<Result> {
  return queries.transaction((transaction) => work(new CatalogEdit(transaction, journal)))
}

function isSameRow(one: CatalogRow, other: CatalogRow): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof CatalogRow)[]
  return names.every((name) => (one[name] ?? null) === (other[name] ?? null))
}

/** Databases limit the number of parameters. */
const maxParameters = 5000

function* chunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += maxParameters) yield ids.slice(at, at + maxParameters)
}

/** A renamed or merged record, with the names before and after it, client first; null for no client. */
export interface Renamed<Record> {
  from: (string | null)[]
  to: (string | null)[]
  record: Record
}

type Kind = 'client' | 'project' | 'task' | 'expense type'

/** Returns TtError `usage` for a new name that the record `into` has. */
export function renameToExisting(kind: Exclude<Kind, 'expense type'>, from: string, into: string): TtError {
  return new TtError('usage', `There is already a ${kind} "${into}".`, {
    nextStep: { action: 'combine', records: `admin_${kind}s`, from, into },
  })
}

export function mergeWithItself(kind: Kind, name: string): TtError {
  return new TtError('usage', `Both names mean the ${kind} "${name}".`)
}

/** @param use completes the sentence that begins with the record: "has projects: Website" */
export function usedRecord(kind: Kind, name: string, use: string): TtError {
  return new TtError('usage', `The ${kind} "${name}" ${use}.`, {
    hint: 'Only unused records can be deleted. Use `archive` to hide it, or `merge` to combine it with another one.',
  })
}

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
