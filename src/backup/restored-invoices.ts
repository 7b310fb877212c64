import { openSqlite } from '../lib/sqlite/open.js'
import { hasTable } from '../outbox/cache/inspect-state.js'
import { attach } from './replace-records.js'

/**
 * Adds the invoices that were written since a backup to its copy of a client state: an invoice that a client may have got is not
 * taken back, and its entries stay on it. An invoice with the same number in the backup gives way, which happens only with the
 * backup of another machine.
 *
 * @param current the path of the state that is replaced
 */
export async function keepInvoices(path: string, current: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    if (!hasTable(database, 'invoice')) return
    // Within the transaction, which therefore does not lock it: this process keeps it locked.
    database.transaction(() => {
      attach(database, current, 'current')
      database.exec(`
        INSERT OR REPLACE INTO main.invoice (id, number, client, until, cancels, body, at)
          SELECT id, number, client, until, cancels, body, at FROM current.invoice ORDER BY rowid;
        INSERT OR REPLACE INTO main.invoiced (kind, record, invoice)
          SELECT kind, record, invoice FROM current.invoiced;
        DELETE FROM main.invoiced WHERE invoice NOT IN (SELECT id FROM main.invoice)
          OR invoice IN (SELECT cancels FROM main.invoice WHERE cancels IS NOT NULL);
        UPDATE main.history SET undone = 1 WHERE invoice IS NOT NULL AND (
          invoice NOT IN (SELECT id FROM main.invoice)
          OR invoice IN (SELECT cancels FROM main.invoice WHERE cancels IS NOT NULL))`)
    })
  } finally {
    database.close()
  }
}
