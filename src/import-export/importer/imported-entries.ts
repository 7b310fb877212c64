import type { Sqlite } from '../../lib/sqlite/connection.js'
import type { Staging } from './staging.js'

/**
 * Remembers the entries that an import creates or updates, so that a later import recognizes them. Call it within the
 * transaction of the import. An updated entry belongs to the import that created it.
 */
export function rememberEntries({ database, tables }: Staging, importId: string): void {
  const remember = (action: 'create' | 'update', change: string) =>
    database
      .prepare(
        `INSERT INTO main.imported (external_id, content, import)
         SELECT external_id, content, ? FROM temp.${tables.entry} WHERE action = '${action}' ORDER BY external_id
         ON CONFLICT (external_id) DO UPDATE SET content = excluded.content, undone = 0${change}`,
      )
      .run([importId])
  remember('create', ', import = excluded.import')
  remember('update', '')
}

/** Forgets the contents of entries whose update was undone: the next import compares their fields. */
export function forgetContents(database: Sqlite, externalIds: readonly string[]): void {
  if (externalIds.length === 0) return
  database
    .prepare("UPDATE imported SET content = '' WHERE external_id IN (SELECT value FROM json_each(?))")
    .run([JSON.stringify(externalIds)])
}
