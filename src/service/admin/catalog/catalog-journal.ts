import { randomUUID } from 'node:crypto'
import { insertInto, sql } from '../../storage/sql.js'
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
