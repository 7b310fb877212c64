import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasTable, withDatabase } from '../cache/inspect-state.js'
import type { QueuedChange } from '../queued-change.js'

/** The number of changes that the service does not have, total and by state, and the time of the oldest. */
export interface PendingChangeCount {
  total: number
  count: Record<QueuedChange['state'], number>
  oldest: Date | undefined
}

/** The changes in the outbox of another profile. */
export interface OtherPendingChangeCount extends PendingChangeCount {
  /** The key of the state; see `clientStatePath`. */
  stateKey: string
  path: string
}

/** Counts the changes in the outbox of the client state at `path`; zero without a file. Throws TtError `failure`. */
export async function countPendingChanges(path: string): Promise<PendingChangeCount> {
  const counts = await withDatabase(path, (database) =>
    hasTable(database, 'outbox')
      ? (database
          .prepare('SELECT state, count(*) AS count, min(typed_at) AS oldest FROM outbox GROUP BY state')
          .all() as { state: QueuedChange['state']; count: number; oldest: number }[])
      : [],
  )
  const rows = counts ?? []
  const count = { waiting: 0, held: 0, refused: 0, conflict: 0, ambiguous: 0 }
  for (const row of rows) count[row.state] = row.count
  return {
    total: rows.reduce((sum, row) => sum + row.count, 0),
    count,
    oldest: rows.length === 0 ? undefined : new Date(Math.min(...rows.map(({ oldest }) => oldest))),
  }
}

/**
 * Counts the changes in the outboxes of all profiles except `stateKey`, whose state is at `path`. Skips states that cannot
 * be read: commands of their own profiles report them.
 */
export async function countOtherPendingChanges(
  path: string,
  stateKey: string,
): Promise<OtherPendingChangeCount[]> {
  const all = dirname(dirname(path))
  const keys = existsSync(all) ? readdirSync(all).filter((key) => key !== stateKey) : []
  const others: OtherPendingChangeCount[] = []
  for (const key of keys.sort()) {
    const other = join(all, key, basename(path))
    const pending = await countPendingChanges(other).catch(() => undefined)
    if (pending && pending.total > 0) others.push({ ...pending, stateKey: key, path: other })
  }
  return others
}
