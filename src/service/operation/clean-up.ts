import { setTimeout as delay } from 'node:timers/promises'
import { type BatchSizes, deleteExpired } from '../oauth/grants/expiry.js'
import type { Storage } from '../storage/storage.js'

export interface CleanUpOptions {
  storage: Storage
  clock: () => Date
  /** How long changes of entries and expenses stay in the audit log, in milliseconds. */
  changesMs?: number | undefined
  /** Called after each clean-up with the number of deleted records. */
  onDone?: (result: { deleted: number; durationMs: number }) => void
  /** Called when a clean-up fails. Expired records have no effect even when they remain. */
  onError?: (error: unknown) => void
  intervalMs?: number
}

export interface CleanUp {
  /** Resolves when the current batch, if any, has ended; there is no further one. */
  stop(): Promise<void>
}

const hourMs = 60 * 60_000
/** SQLite deletes in this process, which serves no requests during a batch. */
export const batchSizes: Record<Storage['dialect'], BatchSizes> = {
  sqlite: { least: 50, most: 400, batches: 500 },
  postgres: { least: 1000, most: 4000, batches: 100 },
}

/** Deletes expired records now and every hour, between requests. */
export function startCleanUp({
  storage,
  clock,
  changesMs,
  onDone,
  onError,
  intervalMs = hourMs,
}: CleanUpOptions): CleanUp {
  const stopping = new AbortController()
  const { signal } = stopping
  const sizes = batchSizes[storage.dialect]
  /** Leaves the database to requests for at least as long as the batch has taken. */
  const createPause = () => {
    let startMs = performance.now()
    return async () => {
      await delay(performance.now() - startMs, undefined, { signal })
      startMs = performance.now()
    }
  }
  const run = async () => {
    while (!signal.aborted) {
      const startMs = performance.now()
      try {
        const deleted = await deleteExpired(storage, clock().getTime(), {
          sizes,
          pause: createPause(),
          changesMs,
        })
        onDone?.({ deleted, durationMs: performance.now() - startMs })
      } catch (error) {
        if (!signal.aborted) onError?.(error)
      }
      // Nothing else keeps a process that has been stopped from ending.
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
