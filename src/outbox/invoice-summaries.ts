import type { Sqlite } from '../lib/sqlite/connection.js'
import { hasTable } from './cache/inspect-state.js'

/** Returns the number, client and total of each invoice, the latest first; none for a state of an older version. */
export function readInvoiceSummaries(state: Sqlite): { number: string; client: string; total: string }[] {
  if (!hasTable(state, 'invoice')) return []
  return state
    .prepare(
      `SELECT number, json_extract(body, '$.client') AS client,
         json_extract(body, '$.total') || ' ' || json_extract(body, '$.currency') AS total
       FROM invoice ORDER BY at DESC, rowid DESC`,
    )
    .all() as { number: string; client: string; total: string }[]
}
