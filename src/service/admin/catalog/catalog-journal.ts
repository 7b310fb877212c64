import { randomUUID } from 'node:crypto'
import type { Queries } from '../../storage/queries.js'
import { insertInto, joinSql, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import type { CatalogStep } from './catalog-edit.js'

/**
 * Runs a change of the catalog of a local workspace, and stores its parts in the same transaction, so that `CatalogChanges`
 * can undo it. Returns the ID under which they are stored; undefined if nothing changed.
 *
 * @param options.title returns the title in the history; null for records that a change of entries needs
 * @param options.id adds the parts to those of an earlier change
 */
export function journaled<Result>(
  storage: Storage,
  options: { title: (result: Result) => string | null; now: Date; id?: string | undefined },
  work: (storage: Storage) => Promise<Result>,
): Promise<{ result: Result; id: string | undefined }> {
  const { title, now, id = randomUUID() } = options
  return storage.queries.transaction(async (queries) => {
    const journal: CatalogStep[] = []
    const result = await work({ ...storage, queries, journal })
    if (journal.length === 0) return { result, id: options.id }
    const [earlier] = await queries.all<{ steps: string }>(
      sql`delete from catalog_changes where id = ${id} returning steps`,
    )
    const steps = [...(JSON.parse(earlier?.steps ?? '[]') as CatalogStep[]), ...journal]
    const change = { id, title: title(result), at: now.getTime(), applied: 1, steps: JSON.stringify(steps) }
    await queries.all(insertInto('catalog_changes', change))
    return { result, id }
  })
}

/** Entries and expenses of users. */
export interface RecordIds {
  entry: readonly number[]
  expense: readonly number[]
}

/**
 * Returns the records among these that the steps of a change move to another task, project or client, as they are applied or
 * reverted. Names do not count.
 */
export async function movedRecords(
  queries: Queries,
  steps: readonly CatalogStep[],
  among: RecordIds,
): Promise<RecordIds> {
  const moved = { entry: new Set<number>(), expense: new Set<number>() }
  const [links, projects] = [new Set<number>(), new Set<number>()]
  for (const step of steps) {
    if ('ids' in step)
      for (const id of step.ids) moved[step.table === 'expenses' ? 'expense' : 'entry'].add(id)
    else {
      const { table, id, before, after } = step
      if (!before || !after) continue
      if (before.project_id !== after.project_id || before.task_id !== after.task_id) links.add(id)
      if (table === 'projects' && before.client_id !== after.client_id) projects.add(id)
    }
  }
  if (among.entry.length > 0 && links.size + projects.size > 0) {
    const rows = await queries.all<{ id: number }>(sql`
      select time_entries.id from time_entries join task_links on task_links.id = task_link_id
      where time_entries.id in (${joinSql([...among.entry])}) and (
        task_links.id in (${joinSql([...links, -1])}) or task_links.project_id in (${joinSql([...projects, -1])}))`)
    for (const { id } of rows) moved.entry.add(id)
  }
  if (among.expense.length > 0 && projects.size > 0) {
    const rows = await queries.all<{ id: number }>(sql`
      select id from expenses where id in (${joinSql([...among.expense])})
        and project_id in (${joinSql([...projects])})`)
    for (const { id } of rows) moved.expense.add(id)
  }
  return {
    entry: among.entry.filter((id) => moved.entry.has(id)),
    expense: among.expense.filter((id) => moved.expense.has(id)),
  }
}
