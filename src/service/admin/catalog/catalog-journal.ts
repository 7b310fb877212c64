import { randomUUID } from 'node:crypto'
import type { Storage } from '../../storage/storage.js'
import { inStorageTransaction } from '../../storage/transaction.js'
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
  return inStorageTransaction(storage, async (within) => {
    const journal: CatalogStep[] = []
    const result = await work({ ...within, journal })
    if (journal.length === 0) return { result, id: options.id }
    const earlier = await within.db
      .deleteFrom('catalog_changes')
      .where('id', '=', id)
      .returning('steps')
      .executeTakeFirst()
    const steps = [...(JSON.parse(earlier?.steps ?? '[]') as CatalogStep[]), ...journal]
    await within.db
      .insertInto('catalog_changes')
      .values({
        ...{ id, title: title(result), at: now.getTime(), applied: 1 },
        ...{ steps: JSON.stringify(steps), settings: null },
      })
      .execute()
    return { result, id }
  })
}
