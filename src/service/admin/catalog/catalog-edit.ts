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
