import { setTimeout as delay } from 'node:timers/promises'
import { dayMs, hourMs, minuteMs } from '../../lib/time-units.js'
import type { Queries } from '../storage/queries.js'
import { identifier, sql } from '../storage/sql.js'
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
  /** How long after a failure a clean-up starts again, in milliseconds. */
  retryMs?: number
}

export interface CleanUp {
  /** Resolves when the current batch, if any, has ended; there is no further one. */
  stop(): Promise<void>
}

/** SQLite deletes in this process, which serves no requests during a batch. */
export const batchSizes: Record<Storage['dialect'], BatchSizes> = {
  sqlite: { least: 50, most: 400, batches: 500 },
  postgres: { least: 1000, most: 4000, batches: 100 },
}

/** Deletes expired records now and every hour, between requests; a minute after a failure. */
export function startCleanUp({
  storage,
  clock,
  changesMs,
  onDone,
  onError,
  intervalMs = hourMs,
  retryMs = minuteMs,
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
      let waitMs = intervalMs
      try {
        const deleted = await deleteExpired(storage, clock().getTime(), {
          sizes,
          pause: createPause(),
          changesMs,
        })
        onDone?.({ deleted, durationMs: performance.now() - startMs })
      } catch (error) {
        if (!signal.aborted) onError?.(error)
        waitMs = retryMs
      }
      // Nothing else keeps a process that has been stopped from ending.
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {})
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

/** Deletes the next expired records of one kind. */
interface Step {
  /** Returns the number of expired records, at most `limit`. */
  count?(queries: Queries, now: number, limit: number): Promise<number>
  /** Deletes up to `batchSize` records after `position`; returns how many, and where the next batch starts, if any. */
  run(
    queries: Queries,
    batchSize: number,
    now: number,
    position: number,
  ): Promise<{ deleted: number; next?: number }>
}

/**
 * Codes stay for a day after their expiry, because a replayed code, unlike an unknown one, revokes its tokens. Access
 * tokens are deleted with their refresh tokens.
 */
const stepsFor = (changesMs: number): readonly Step[] => [
  expiredRecords('sessions', 'hash', 'expires_at'),
  expiredRecords('sign_in_attempts', 'subject', 'forget_at'),
  expiredRecords('authorization_codes', 'id', 'expires_at', dayMs),
  expiredRecords('refresh_tokens', 'id', 'expires_at'),
  { run: deleteUnusedGrants },
  expiredRecords('record_changes', 'id', 'at', changesMs),
]

/** An arbitrary number that no other program on the same server is likely to lock. */
const cleanUpLock = 7_482_953_302

/** Limits for the records of a batch. Between them, a backlog is deleted in this number of `batches`. */
interface BatchSizes {
  least: number
  most: number
  batches: number
}

/**
 * Deletes expired sessions, counts of sign-in attempts, codes, refresh tokens with their access tokens, grants without
 * tokens, and old changes in the audit log, in short transactions. Returns their number. On PostgreSQL it ends early while
 * another node deletes.
 *
 * @param changesMs how long changes of entries and expenses stay, in milliseconds
 * @param pause resolves when the next batch may start
 */
export async function deleteExpired(
  { queries }: Storage,
  now: number,
  {
    sizes,
    pause,
    changesMs = 400 * dayMs,
  }: { sizes: BatchSizes; pause: () => Promise<unknown>; changesMs?: number | undefined },
): Promise<number> {
  let total = 0
  for (const step of stepsFor(changesMs)) {
    const expired = await step.count?.(queries, now, sizes.most * sizes.batches)
    const batchSize = batchSizeFor(total + (expired ?? 0), sizes)
    for (let position: number | undefined = 0; position !== undefined; ) {
      const from: number = position
      const batch = await queries.transaction(async (transaction) => {
        if (queries.dialect === 'postgres' && !(await tryLock(transaction))) return undefined
        return step.run(transaction, batchSize, now, from)
      })
      if (!batch) return total
      total += batch.deleted
      position = batch.next
      await pause()
    }
  }
  return total
}

/**
 * Returns the records of a batch. The larger the backlog, the larger the batches, because each one has a commit of its own.
 * The hashes of tokens of earlier releases are spread over the whole index, so that each record changes other pages.
 */
function batchSizeFor(backlog: number, { least, most, batches }: BatchSizes): number {
  return Math.min(Math.max(Math.floor(backlog / batches), least), most)
}

/** Locks the clean-up until the end of the transaction; returns false while another node has locked it. */
async function tryLock(queries: Queries): Promise<boolean> {
  const [lock] = await queries.all<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${cleanUpLock}::bigint) as locked`,
  )
  return lock?.locked === true
}

/** Returns the step that deletes the records of a table `afterMs` after the time in `column`. */
function expiredRecords(table: string, key: string, column: string, afterMs = 0): Step {
  const [name, id, time] = [identifier(table), identifier(key), identifier(column)]
  return {
    async count(queries, now, limit) {
      const [expired] = await queries.all<{ count: number }>(sql`
        select count(*) as count from (
          select 1 from ${name} where ${time} <= ${now - afterMs} limit ${limit}
        ) as expired`)
      return expired?.count ?? 0
    },
    async run(queries, batchSize, now) {
      const batch = sql`
        select ${id} from ${name} where ${time} <= ${now - afterMs} order by ${time} limit ${batchSize}`
      // With outdated statistics, PostgreSQL would read the whole table for IN.
      const isInBatch = queries.dialect === 'postgres' ? sql`= any(array(${batch}))` : sql`in (${batch})`
      const { length: deleted } = await queries.all(
        sql`delete from ${name} where ${id} ${isInBatch} returning 1 as deleted`,
      )
      return { deleted, ...(deleted < batchSize ? {} : { next: 0 }) }
    },
  }
}

/** Deletes the grants without codes and tokens among the next ones by ID, except those of today. */
async function deleteUnusedGrants(
  queries: Queries,
  batchSize: number,
  now: number,
  position: number,
): Promise<{ deleted: number; next?: number }> {
  const [batch] = await queries.all<{ last: number | null }>(sql`
    select max(id) as last from (
      select id from grants where id > ${position} order by id limit ${batchSize}
    ) as batch`)
  const last = batch?.last ?? undefined
  if (last === undefined) return { deleted: 0 }
  const deleted = await queries.all(sql`
    delete from grants where id > ${position} and id <= ${last} and created_at <= ${now - dayMs}
      and not exists (select 1 from authorization_codes where grant_id = grants.id)
      and not exists (select 1 from refresh_tokens where grant_id = grants.id)
    returning id`)
  return { deleted: deleted.length, next: last }
}
