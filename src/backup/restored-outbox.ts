import type { Sqlite } from '../lib/sqlite/connection.js'
import { openSqlite } from '../lib/sqlite/open.js'
import { attach } from './replace-records.js'

/** The clocks that show later whether an earlier request of a create may still arrive; see settling-time.ts. */
export interface RestoreClocks {
  now: Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
}

/**
 * Prepares the outbox of a client state from a backup, so that nothing is delivered twice: its changes may have been
 * delivered after the backup was made, here or on another machine.
 *
 * - The outcome of every pending create is unknown: the service is searched for its record first, and it keeps its
 *   Idempotency-Key. A local timer was never sent. A rejected create is sent only when the user retries it, and can be
 *   corrected before, which a create with an unknown outcome cannot.
 * - If the current state descends from the backup, it knows more: the creates that it has delivered leave the outbox, and
 *   a change whose outcome is unknown there stays as it was sent.
 *
 * Updates and deletes need no preparation: they are compared with the record of the service. Attempts of the backup have
 * settled, and their confirmed records are outdated; those of the current state stay.
 *
 * @param current the path of the state that is replaced; undefined if there is none
 */
export async function prepareOutbox(
  path: string,
  current: string | undefined,
  { now, uptimeMs }: RestoreClocks,
): Promise<void> {
  const database = await openSqlite(path)
  try {
    database.transaction(() => {
      database.exec('DELETE FROM attempt; DELETE FROM deleted')
      if (current !== undefined) {
        // Within the transaction, which therefore does not lock it: this process keeps it locked.
        attach(database, current, 'current')
        if (isDescendant(database)) applyLaterDeliveries(database)
      }
      database
        .prepare(
          `UPDATE outbox SET in_doubt = 1, sends = max(sends, 1), sent_at = ?, sent_uptime = ?,
             known_until = coalesce(known_until, (SELECT coalesce(max(row), 0) FROM seen))
           WHERE op = 'create' AND state = 'waiting'`,
        )
        .run([now.getTime(), uptimeMs?.() ?? null])
    })
  } finally {
    database.close()
  }
}

/** Whether the current state has the last change of the backup in its history. */
function isDescendant(database: Sqlite): boolean {
  return (
    database
      .prepare(
        `SELECT 1 FROM current.history JOIN main.history AS saved USING (seq, at, what)
         WHERE saved.seq = (SELECT max(seq) FROM main.history)`,
      )
      .get() !== undefined
  )
}

function applyLaterDeliveries(database: Sqlite) {
  database.exec(`
    INSERT INTO main.attempt SELECT * FROM current.attempt;
    INSERT INTO main.deleted SELECT * FROM current.deleted;
    INSERT OR REPLACE INTO main.alias SELECT * FROM current.alias;
    DELETE FROM main.outbox WHERE op = 'create' AND EXISTS (
      SELECT 1 FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record
    );
    UPDATE main.outbox SET record = (
      SELECT id FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record
    ) WHERE EXISTS (SELECT 1 FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record);
    INSERT OR REPLACE INTO main.outbox SELECT * FROM current.outbox AS later
      WHERE in_doubt = 1 AND seq IN (SELECT seq FROM main.outbox)`)
}
