import { basename } from 'node:path'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { openWorkspaceState } from '../../src/outbox/cache/workspace-state.js'
import type { QueuedChange } from '../../src/outbox/queued-change.js'

/** Inserts this number of changes per state into the outbox of the client state at `path`; creates the file if needed. */
export async function insertQueuedChanges(
  path: string,
  counts: Partial<Record<QueuedChange['state'], number>>,
  typedAt = '2024-05-08T12:00:00Z',
): Promise<void> {
  const { database, close } = await openState(path)
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

async function openState(path: string) {
  if (basename(path) !== 'workspace.db') return openClientState(path)
  const parts = { database: await openSqlite(path), path, formerPath: `${path}.former` }
  return openWorkspaceState({ ...parts, migrateService: async () => {} })
}
