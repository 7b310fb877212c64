import { setTimeout as delay } from 'node:timers/promises'
import { schemaVersion, schemaVersionOf } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'

/** The parts of a ready service. */
export type Readiness = Record<'database' | 'migrations' | 'running', boolean> & { disk?: boolean }

/** Upper bound for the time that a check waits for the database. */
const timeoutMs = 2000

/**
 * Returns whether each part is ready: the database responds within 2 s, its schema has all migrations of this version, the
 * disk of a SQLite file is writable, and the service is not stopping. A newer schema is ready, so that several nodes can be updated one after the other.
 */
export async function checkReadiness(storage: Storage, isStopping: boolean): Promise<Readiness> {
  const timeout = new AbortController()
  const inTime = <Value>(check: Promise<Value>) =>
    Promise.race([
      check.catch(() => undefined),
      delay(timeoutMs, undefined, { signal: timeout.signal, ref: false }),
    ])
  const [version, isWritable] = await Promise.all([
    inTime(schemaVersionOf(storage.queries)),
    storage.disk && inTime(storage.disk.isWritable()),
  ])
  timeout.abort()
  const hasDatabase = typeof version === 'number'
  return {
    database: hasDatabase,
    migrations: hasDatabase && version >= schemaVersion,
    ...(storage.disk ? { disk: isWritable === true } : {}),
    running: !isStopping,
  }
}
