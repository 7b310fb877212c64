import { setTimeout as delay } from 'node:timers/promises'
import { schemaVersion } from '../storage/schema.js'
import { type Storage, schemaVersionOf } from '../storage/storage.js'

/** The parts of a ready service. */
export type ReadinessCheck = 'database' | 'migrations' | 'running'

/** Upper bound for the time that a check waits for the database. */
const timeoutMs = 2000

/**
 * Returns whether each part is ready: the database responds within 2 s, its schema has all migrations of this version, and
 * the service is not stopping. A newer schema is ready, so that several nodes can be updated one after the other.
 */
export async function checkReadiness(
  storage: Storage,
  isStopping: boolean,
): Promise<Record<ReadinessCheck, boolean>> {
  const timeout = new AbortController()
  const version = await Promise.race([
    schemaVersionOf(storage).catch(() => undefined),
    delay(timeoutMs, undefined, { signal: timeout.signal, ref: false }),
  ])
  timeout.abort()
  const hasDatabase = typeof version === 'number'
  return {
    database: hasDatabase,
    migrations: hasDatabase && version >= schemaVersion,
    running: !isStopping,
  }
}
