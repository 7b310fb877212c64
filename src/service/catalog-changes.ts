import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { dayMs } from '../lib/time-units.js'
import type { CatalogRow, CatalogStep, CatalogTable } from './admin/catalog/catalog-edit.js'

/** A change of the catalog that the history of the client state does not have yet. */
export interface UnrecordedChange {
  id: string
  title: string
  at: Date
}

/** The changes of clients, projects, tasks and expense types in a local workspace, for undo and redo. */
export interface CatalogChanges {
  /** Returns the changes that are not marked as recorded, the earliest first. */
  unrecorded(): UnrecordedChange[]
  /** Marks changes as recorded in the history, and forgets older ones that are not among `known`. */
  markRecorded(ids: readonly string[], known: readonly string[]): void
  /** Whether a change is applied, not undone; undefined for an unknown one. */
  isApplied(id: string): boolean | undefined
  /**
   * Undoes a change. With `keepsUsed`, records that something else uses stay. Throws TtError `rejected` if the records have
   * been changed since so that it cannot be undone; nothing is changed then.
   */
  undo(id: string, options?: { keepsUsed?: boolean }): void
  /** Applies an undone change again. Throws TtError `rejected` like `undo`. */
  redo(id: string): void
  /** Returns the task links whose entries a change has moved to other ones. */
  movedLinks(id: string): { from: number; to: number }[]
  /** Stores what else belongs to a change, as JSON. */
  saveSettings(id: string, settings: unknown): void
  /** Returns what `saveSettings` has stored; undefined without any. */
  settings(id: string): unknown
}

interface ChangeRow {
  applied: number
  steps: string
  settings: string | null
}

/** @param database the database of the local workspace */
export function createCatalogChanges(database: Sqlite, clock: () => Date): CatalogChanges {
  const find = (id: string) =>
    database.prepare('SELECT * FROM catalog_changes WHERE id = ?').get([id]) as ChangeRow | undefined
  const setApplied = (id: string, applied: number) =>
    database.prepare('UPDATE catalog_changes SET applied = ? WHERE id = ?').run([applied, id])
  const apply = (id: string, applied: 0 | 1, steps: (row: ChangeRow) => CatalogStep[], keepsUsed = false) =>
    database.transaction(() => {
      const row = find(id)
      if (!row || row.applied === applied) return
      for (const step of steps(row)) applyStep(database, step, clock(), keepsUsed)
      setApplied(id, applied)
    })
  return {
    unrecorded() {
      const rows = database
        .prepare(
          'SELECT id, title, at FROM catalog_changes WHERE is_recorded = 0 AND title IS NOT NULL ORDER BY rowid',
        )
        .all() as { id: string; title: string; at: number }[]
      return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at) }))
    },
    markRecorded(ids, known) {
      database.transaction(() => {
        database
          .prepare('UPDATE catalog_changes SET is_recorded = 1 WHERE id IN (SELECT value FROM json_each(?))')
          .run([JSON.stringify(ids)])
        database
          .prepare(
            `DELETE FROM catalog_changes WHERE (is_recorded = 1 OR title IS NULL) AND at < ?
               AND id NOT IN (SELECT value FROM json_each(?))`,
          )
          .run([clock().getTime() - dayMs, JSON.stringify(known)])
      })
    },
    isApplied(id) {
      const row = find(id)
      return row && row.applied === 1
    },
    undo: (id, { keepsUsed } = {}) =>
      apply(id, 0, ({ steps }) => (JSON.parse(steps) as CatalogStep[]).reverse().map(invert), keepsUsed),
    redo: (id) => apply(id, 1, ({ steps }) => JSON.parse(steps) as CatalogStep[]),
    movedLinks(id) {
      const steps = JSON.parse(find(id)?.steps ?? '[]') as CatalogStep[]
      const merged = steps.flatMap((step) => ('ids' in step && step.column === 'task_link_id' ? [step] : []))
      return merged.map(({ from, to }) => ({ from, to }))
    },
    saveSettings(id, settings) {
      database
        .prepare('UPDATE catalog_changes SET settings = ? WHERE id = ?')
        .run([JSON.stringify(settings), id])
    },
    settings(id) {
      const text = find(id)?.settings ?? null
      return text === null ? undefined : JSON.parse(text)
    },
  }
}

function invert(step: CatalogStep): CatalogStep {
  if ('ids' in step) return { ...step, from: step.to, to: step.from }
  return { ...step, before: step.after, after: step.before }
}

function applyStep(database: Sqlite, step: CatalogStep, now: Date, keepsUsed: boolean) {
  if ('ids' in step) {
    const { table, column, from, to, ids } = step
    database
      .prepare(
        `UPDATE ${table} SET ${column} = ?, updated_at = max(?, updated_at + 1)
         WHERE ${column} = ? AND id IN (SELECT value FROM json_each(?))`,
      )
      .run([to, now.getTime(), from, JSON.stringify(ids)])
    return
  }
  const { table, id, before, after } = step
  const current = database.prepare(`SELECT * FROM ${table} WHERE id = ?`).get([id]) as CatalogRow | undefined
  if (before && after) updateRow(database, table, { current, before, after })
  else if (after && !current) insertRow(database, table, after)
  else if (before && current && isUsed(database, table, id)) {
    if (!keepsUsed) throw changedError(`${nouns[table]} "${nameOf(current)}" is used`)
  } else if (before && current) database.prepare(`DELETE FROM ${table} WHERE id = ?`).run([id])
}

/** Sets the columns that the change has changed, which must have the values from before it. */
function updateRow(
  database: Sqlite,
  table: CatalogTable,
  rows: { current: CatalogRow | undefined; before: CatalogRow; after: CatalogRow },
) {
  const { current, before, after } = rows
  const columns = (Object.keys(after) as (keyof CatalogRow)[]).filter(
    (column) => after[column] !== before[column],
  )
  if (!current || columns.some((column) => current[column] !== before[column]))
    throw changedError(`${nouns[table]} "${nameOf(before)}" was changed`)
  const values = columns.map((column) => after[column] ?? null)
  withUniqueNames(after, () =>
    database
      .prepare(`UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`)
      .run([...values, after.id]),
  )
}

function insertRow(database: Sqlite, table: CatalogTable, row: CatalogRow) {
  const columns = Object.keys(row) as (keyof CatalogRow)[]
  withUniqueNames(row, () =>
    database
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
      .run(columns.map((column) => row[column] ?? null)),
  )
}

function withUniqueNames(row: CatalogRow, write: () => unknown) {
  try {
    write()
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

/** The references to each table. */
const uses: Readonly<Record<CatalogTable, readonly string[]>> = {
  clients: ['projects WHERE client_id'],
  projects: ['task_links WHERE project_id', 'assignments WHERE project_id', 'expenses WHERE project_id'],
  tasks: ['task_links WHERE task_id'],
  task_links: ['time_entries WHERE task_link_id'],
  assignments: [],
  expense_types: ['expenses WHERE expense_type_id'],
}

function isUsed(database: Sqlite, table: CatalogTable, id: number): boolean {
  return uses[table].some(
    (use) => database.prepare(`SELECT 1 FROM ${use} = ? LIMIT 1`).get([id]) !== undefined,
  )
}

const nameOf = ({ name, id }: CatalogRow) => name ?? String(id)

/** @param change completes the sentence: "the project "Website" was changed" */
function changedError(change: string): TtError {
  return new TtError('rejected', `Since then, ${change}.`)
}
