import { openClientState } from '../../src/cache/client-state.js'
import type { QueuedChange } from '../../src/outbox/queued-change.js'

/** Inserts this number of changes per state into the outbox of the client state at `path`; creates the file if needed. */
export async function insertQueuedChanges(
  path: string,
  counts: Partial<Record<QueuedChange['state'], number>>,
  typedAt = '2024-05-08T12:00:00Z',
): Promise<void> {
  const { database, close } = await openClientState(path, { durability: 'normal' })
  const insert = database.prepare(
    `INSERT INTO outbox (kind, op, record, fields, key, state, typed_at) VALUES ('entry', 'create', ?, '{}', ?, ?, ?)`,
  )
  let next = 0
  for (const [state, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index++) {
      next++
      insert.run([`~${next}`, `key-${next}`, state, Date.parse(typedAt)])
    }
  }
  close()
}
