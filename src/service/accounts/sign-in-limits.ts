import { createHash } from 'node:crypto'
import { dayMs } from '../../lib/time-units.js'
import { networkOf } from '../http/client-address.js'
import type { Queries } from '../storage/queries.js'
import { assignSql, insertInto, joinSql, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'

/** An attempt to sign in: the email address as typed, and the network address of the client. */
export interface SignInAttempt {
  email: string
  address: string
}

interface Limit {
  subject: string
  /** The number of failures within one window that leads to a block. */
  maxFailures: number
  /** A block lasts as long as the window. Each further block doubles that, up to this many times. */
  maxDoublings: number
}

const windowMs = 15 * 60_000
const knownNetworkMs = 30 * dayMs

/*
 * The limits per window are 5 failures from one network at one account, 30 from one network at all accounts, and 60 at one
 * account from everywhere. An account and a network that have signed in before are exempt from the last two: others in the
 * same network, or anywhere, cannot lock the user out there. Correct passwords never count.
 *
 * The password of every attempt is checked before its outcome is recorded. Of parallel attempts, only those recorded before
 * the block learn whether their password was right.
 */

/** Returns the seconds until the next attempt is possible; 0 without a block. Changes nothing. */
export async function blockedSeconds(
  { queries }: Storage,
  attempt: SignInAttempt,
  now: number,
): Promise<number> {
  const limits = await findLimits(queries, attempt, now)
  return remainingSeconds(await readCounts(queries, limits), now)
}

/** Counts a wrong password, and returns 0. During a block it counts nothing and returns the seconds until its end. */
export async function recordFailure(storage: Storage, attempt: SignInAttempt, now: number): Promise<number> {
  return storage.queries.transaction(async (queries) => {
    const limits = await findLimits(queries, attempt, now)
    for (const { subject } of limits) await ensureRow(queries, subject, now)
    const counts = await readCounts(queries, limits, { locks: true })
    const seconds = remainingSeconds(counts, now)
    if (seconds > 0) return seconds
    for (const { limit, row } of counts) {
      const count = assignSql({ ...nextCount(limit, row, now) })
      await queries.all(sql`update sign_in_attempts set ${count} where subject = ${limit.subject}`)
    }
    return 0
  })
}

/**
 * Removes the failures at the account from this network after a correct password, remembers the network for the account,
 * and returns 0. During a block it changes nothing and returns the seconds until its end.
 */
export async function recordSuccess(storage: Storage, attempt: SignInAttempt, now: number): Promise<number> {
  const { pair, known } = toSubjects(attempt)
  return storage.queries.transaction(async (queries) => {
    const counts = await readCounts(queries, await findLimits(queries, attempt, now), { locks: true })
    const seconds = remainingSeconds(counts, now)
    if (seconds > 0) return seconds
    await queries.all(sql`delete from sign_in_attempts where subject = ${pair}`)
    const knownNetwork = { failures: 0, blocks: 0, until: now, forget_at: now + knownNetworkMs }
    await queries.all(sql`
      ${insertInto('sign_in_attempts', { subject: known, ...knownNetwork })}
      on conflict (subject) do update set ${assignSql(knownNetwork)}`)
    return 0
  })
}

/**
 * Removes the failures and the known networks of an account that is removed, so that a later user with its email address
 * starts anew. Networks are those in the audit log, because counts are stored without them.
 */
export async function forgetSignIns(queries: Queries, email: string): Promise<void> {
  const rows = await queries.all<{ address: string }>(sql`
    select distinct address from audit_log where actor = ${email} and address is not null`)
  for (const address of new Set(['', ...rows.map(({ address }) => address)])) {
    const { pair, account, known } = toSubjects({ email, address })
    const subjects = joinSql([pair, account, known])
    await queries.all(sql`delete from sign_in_attempts where subject in (${subjects})`)
  }
}

async function findLimits(queries: Queries, attempt: SignInAttempt, now: number): Promise<Limit[]> {
  const { pair, address, account, known } = toSubjects(attempt)
  const [knownNetwork] = await queries.all(
    sql`select 1 as known from sign_in_attempts where subject = ${known} and forget_at > ${now}`,
  )
  const limits = [
    { subject: pair, maxFailures: 5, maxDoublings: 4 },
    ...(knownNetwork
      ? []
      : [
          { subject: address, maxFailures: 30, maxDoublings: 2 },
          { subject: account, maxFailures: 60, maxDoublings: 0 },
        ]),
  ]
  // All transactions lock rows in the same order, so that no two attempts deadlock.
  return limits.sort((one, other) => (one.subject < other.subject ? -1 : 1))
}

interface Count {
  failures: number
  blocks: number
  until: number
  forget_at: number
}

interface LimitCount {
  limit: Limit
  row: Count
}

/** Reads the counts that exist; with `locks`, locks them until the end of the transaction. */
async function readCounts(
  queries: Queries,
  limits: readonly Limit[],
  { locks = false } = {},
): Promise<LimitCount[]> {
  const counts: LimitCount[] = []
  const lock = locks && queries.dialect === 'postgres' ? sql`for update` : sql``
  for (const limit of limits) {
    const [row] = await queries.all<Count>(sql`
      select failures, blocks, until, forget_at from sign_in_attempts where subject = ${limit.subject} ${lock}`)
    if (row) counts.push({ limit, row })
  }
  return counts
}

async function ensureRow(queries: Queries, subject: string, now: number): Promise<void> {
  const row = { subject, failures: 0, blocks: 0, until: now, forget_at: now }
  await queries.all(sql`${insertInto('sign_in_attempts', row)} on conflict (subject) do nothing`)
}

function remainingSeconds(counts: readonly LimitCount[], now: number): number {
  const ends = counts.map(({ limit, row }) => (row.failures >= limit.maxFailures ? row.until - now : 0))
  return Math.ceil(Math.max(0, ...ends) / 1000)
}

function nextCount({ maxFailures, maxDoublings }: Limit, row: Count, now: number): Count {
  const isOver = row.until <= now
  const isForgotten = row.forget_at <= now
  const blocks = isForgotten ? 0 : isOver && row.failures >= maxFailures ? row.blocks + 1 : row.blocks
  const failures = isOver ? 1 : row.failures + 1
  const blockEnd = now + windowMs * 2 ** Math.min(blocks, maxDoublings)
  const until = failures >= maxFailures ? blockEnd : isOver ? now + windowMs : row.until
  return { failures, blocks, until, forget_at: until + dayMs }
}

function toSubjects({ email, address }: SignInAttempt) {
  const network = networkOf(address)
  return {
    pair: subject('pair', email, network),
    address: subject('address', network),
    account: subject('account', email),
    known: subject('known', email, network),
  }
}

/** Returns the key of a count. It is a hash, because people type passwords into the email field by mistake. */
const subject = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex')
