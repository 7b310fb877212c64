import { TtError } from '../lib/errors.js'
import { dayMs } from '../lib/time-units.js'
import {
  CatalogEdit,
  type CatalogRow,
  type CatalogStep,
  type CatalogTable,
} from './admin/catalog/catalog-edit.js'
import { movedRecords, type RecordIds } from './admin/catalog/catalog-journal.js'
import type { Queries } from './storage/queries.js'
import { insertInto, joinSql, sql } from './storage/sql.js'

/** The changes of clients, projects, tasks and expense types in a local workspace, for undo and redo. */
export interface CatalogChanges {
  /** Forgets the changes that are not among these, except those of the last day: commands may still need their records. */
  forget(known: readonly string[]): Promise<void>
  /**
   * Undoes a change. With `keepsUsed`, records that something else uses stay. Throws TtError `rejected` if the records have
   * been changed since so that it cannot be undone; nothing is changed then.
   */
  undo(id: string, options?: { keepsUsed?: boolean }): Promise<void>
  /** Applies an undone change again. Throws TtError `rejected` like `undo`. */
  redo(id: string): Promise<void>
  /** Returns the task links whose entries a change has moved to other ones. */
  movedLinks(id: string): Promise<{ from: number; to: number }[]>
  /** Returns the records among these that applying or undoing a change moves to another task, project or client. */
  movedRecords(id: string, among: RecordIds): Promise<RecordIds>
  /** Stores what else belongs to a change, as JSON. */
  saveSettings(id: string, settings: unknown): Promise<void>
  /** Returns what `saveSettings` has stored; undefined without any. */
  settings(id: string): Promise<unknown>
}

interface ChangeRow {
  applied: number
  steps: string
  settings: string | null
}

/** @param queries those of the local workspace */
export function createCatalogChanges(queries: Queries, clock: () => Date): CatalogChanges {
  const find = async (id: string, on = queries) => {
    const [row] = await on.all<ChangeRow>(sql`select * from catalog_changes where id = ${id}`)
    return row
  }
  const apply = (id: string, applied: 0 | 1, steps: (row: ChangeRow) => CatalogStep[], keepsUsed = false) =>
    queries.transaction(async (transaction) => {
      const row = await find(id, transaction)
      if (!row || row.applied === applied) return
      const edit = new CatalogEdit(transaction, [])
      for (const step of steps(row)) await applyStep(edit, step, clock(), keepsUsed)
      await transaction.all(sql`update catalog_changes set applied = ${applied} where id = ${id}`)
    })
  return {
    async forget(known) {
      await queries.all(sql`
        delete from catalog_changes where at < ${clock().getTime() - dayMs} and id not in (${joinSql(known)})`)
    },
    undo: (id, { keepsUsed } = {}) =>
      apply(id, 0, ({ steps }) => (JSON.parse(steps) as CatalogStep[]).reverse().map(invert), keepsUsed),
    redo: (id) => apply(id, 1, ({ steps }) => JSON.parse(steps) as CatalogStep[]),
    async movedLinks(id) {
      const steps = JSON.parse((await find(id))?.steps ?? '[]') as CatalogStep[]
      const merged = steps.flatMap((step) => ('ids' in step && step.column === 'task_link_id' ? [step] : []))
      return merged.map(({ from, to }) => ({ from, to }))
    },
    async movedRecords(id, among) {
      const steps = JSON.parse((await find(id))?.steps ?? '[]') as CatalogStep[]
      return movedRecords(queries, steps, among)
    },
    async saveSettings(id, settings) {
      await queries.all(
        sql`update catalog_changes set settings = ${JSON.stringify(settings)} where id = ${id}`,
      )
    },
    async settings(id) {
      const text = (await find(id))?.settings ?? null
      return text === null ? undefined : JSON.parse(text)
    },
  }
}

function invert(step: CatalogStep): CatalogStep {
  if ('ids' in step) return { ...step, from: step.to, to: step.from }
  return { ...step, before: step.after, after: step.before }
}

async function applyStep(edit: CatalogEdit, step: CatalogStep, now: Date, keepsUsed: boolean): Promise<void> {
  if ('ids' in step) return edit.move(step, now, step.ids)
  const { table, id, before, after } = step
  const current = await edit.row(table, id)
  if (before && after) await updateRow(edit, table, { current, before, after })
  else if (after && !current)
    await withUniqueNames(after, () => edit.queries.all(insertInto(table, { ...after })))
  else if (before && current && (await edit.isUsed(table, id))) {
    if (!keepsUsed) throw changedError(`${nouns[table]} "${nameOf(current)}" is used`)
  } else if (before && current) await edit.remove(table, id)
}

/** Sets the columns that the change has changed, which must have the values from before it. */
async function updateRow(
  edit: CatalogEdit,
  table: CatalogTable,
  rows: { current: CatalogRow | undefined; before: CatalogRow; after: CatalogRow },
): Promise<void> {
  const { current, before, after } = rows
  const columns = (Object.keys(after) as (keyof CatalogRow)[]).filter(
    (column) => after[column] !== before[column],
  )
  if (!current || columns.some((column) => current[column] !== before[column]))
    throw changedError(`${nouns[table]} "${nameOf(before)}" was changed`)
  const changes = Object.fromEntries(columns.map((column) => [column, after[column]]))
  await withUniqueNames(after, () => edit.update(table, after.id, changes))
}

async function withUniqueNames(row: CatalogRow, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (error instanceof Error && /constraint/i.test(error.message))
      throw changedError(`another record has the name "${nameOf(row)}"`)
    throw error
  }
}

const nouns: Readonly<Record<CatalogTable, string>> = {
  clients: 'the client',
  projects: 'the project',
  tasks: 'the task',
  task_links: 'a task',
  assignments: 'an assignment',
  expense_types: 'the expense type',
}

const nameOf = ({ name, id }: CatalogRow) => name ?? String(id)

/** @param change completes the sentence: "the project "Website" was changed" */
function changedError(change: string): TtError {
  return new TtError('rejected', `Since then, ${change}.`)
}
