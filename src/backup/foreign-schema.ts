import { openSqlite } from '../lib/sqlite/open.js'
import { refused } from './archive/archive-error.js'

/** What no schema of `tt` has, and what could compute huge values or rows without end while a backup is read. */
const computations: Record<string, RegExp> = {
  table: /^CREATE\s+VIRTUAL\b|\b(CHECK|GENERATED|AS)\b/i,
  index: /\bSELECT\b|(?<!\bON\s+"?\w+"?\s*|\bcoalesce)\(/i,
}

/**
 * Prepares the database of a backup, which someone else may have made, for reading: removes its triggers, whose changes a
 * restore does not need. Throws ArchiveError if its tables or indexes compute values.
 *
 * @param name its name in the backup
 */
export async function removeComputations(path: string, name: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    const objects = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as SchemaObject[]
    for (const { type, name: object, sql } of objects) {
      if (type === 'trigger') database.exec(`DROP TRIGGER "${object.replaceAll('"', '""')}"`)
      // SQLite itself creates the indexes without a statement.
      else if (sql !== null && (computations[type]?.test(sql) ?? true))
        throw refused(`${name} computes the values of ${object}`)
    }
  } finally {
    database.close()
  }
}

interface SchemaObject {
  type: string
  name: string
  sql: string | null
}
