import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../storage/schema.js'
import type { Storage } from '../../storage/storage.js'
import { inTransaction } from '../../storage/transaction.js'

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

/** Any row of these tables: which columns a table has is known where it is written. */
type Rows = Kysely<Record<CatalogTable, CatalogRow>>

/** A change of clients, projects, tasks or expense types within a transaction; `steps` receives its parts. */
export class CatalogEdit {
  readonly db: Kysely<Schema>
  readonly #steps: CatalogStep[]

  constructor(db: Kysely<Schema>, steps: CatalogStep[]) {
    this.db = db
    this.#steps = steps
  }

  /** Adds a row and returns it; undefined if another row has its name. */
  async insert(table: CatalogTable, values: Partial<CatalogRow>): Promise<CatalogRow | undefined> {
    const row = await this.#rows
      .insertInto(table)
      .values(values as CatalogRow)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (row) this.#steps.push({ table, id: row.id, before: null, after: row })
    return row
  }

  /** Changes columns of a row. */
  async update(table: CatalogTable, id: number, changes: Partial<CatalogRow>): Promise<void> {
    const before = await this.row(table, id)
    if (!before) throw new Error(`There is no row ${id} in ${table}.`)
    const after = { ...before, ...changes }
    if (isSameRow(before, after)) return
    await this.#rows.updateTable(table).set(changes).where('id', '=', id).execute()
    this.#steps.push({ table, id, before, after })
  }

  /** Deletes a row that nothing refers to. */
  async remove(table: CatalogTable, id: number): Promise<void> {
    const before = await this.row(table, id)
    if (!before) return
    await this.#rows.deleteFrom(table).where('id', '=', id).execute()
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
      const { rows } = await sql<{ id: number }>`
        update ${sql.table(table)} set ${sql.ref(column)} = ${to},
          updated_at = case when updated_at < ${at} then ${at} else updated_at + 1 end
        where ${sql.ref(column)} = ${from} ${part ? sql`and id in (${sql.join([...part])})` : sql``}
        returning id`.execute(this.db)
      for (const { id } of rows) ids.push(Number(id))
    }
    if (ids.length > 0) this.#steps.push({ table, column, from, to, ids })
  }

  /** Returns a row; undefined if it does not exist. */
  row(table: CatalogTable, id: number): Promise<CatalogRow | undefined> {
    return this.#rows.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
  }

  /** Whether anything refers to a row, such as an entry to a task link. */
  async isUsed(table: CatalogTable, id: number): Promise<boolean> {
    const uses = references[table].map(
      ([user, column]): RawBuilder<unknown> =>
        sql`exists (select 1 from ${sql.table(user)} where ${sql.ref(column)} = ${id})`,
    )
    if (uses.length === 0) return false
    const { rows } = await sql<{ used: number }>`
      select case when ${sql.join(uses, sql` or `)} then 1 else 0 end as used`.execute(this.db)
    return rows[0]?.used === 1
  }

  get #rows(): Rows {
    return this.db as unknown as Rows
  }
}

/** The columns that refer to rows of each table. */
const references: Readonly<Record<CatalogTable, readonly (readonly [keyof Schema, string])[]>> = {
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
  { db, journal = [] }: Pick<Storage, 'db' | 'journal'>,
  work: (edit: CatalogEdit) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, (transaction) => work(new CatalogEdit(transaction, journal)))
}

export function isSameRow(one: CatalogRow, other: CatalogRow): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof CatalogRow)[]
  return names.every((name) => (one[name] ?? null) === (other[name] ?? null))
}

/** Databases limit the number of parameters. */
const maxParameters = 5000

function* chunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += maxParameters) yield ids.slice(at, at + maxParameters)
}
