import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Kysely } from 'kysely'
import { dayMs } from '../../lib/time-units.js'
import type { Schema } from '../storage/schema.js'
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

/**
 * Counts an attempt before its password is checked, so that parallel attempts are limited too, and returns 0. During a
 * block it counts nothing and returns the seconds until the next attempt is possible.
 *
 * The limits per window are 5 attempts from one network at one account, 30 from one network at all accounts, and 60 at
 * one account from everywhere. Networks from which the user has signed in before are exempt from the last limit, so that
 * others cannot lock the user out there.
 */
export async function recordAttempt(storage: Storage, attempt: SignInAttempt, now: number): Promise<number> {
  return storage.db.transaction().execute(async (db) => {
    const limits = await findLimits(db, attempt, now)
    const counts = []
    for (const limit of limits) counts.push({ limit, row: await lockRow(db, storage, limit.subject, now) })
    const blockedUntil = Math.max(
      0,
      ...counts.map(({ limit, row }) =>
        row.until > now && row.failures >= limit.maxFailures ? row.until : 0,
      ),
    )
    if (blockedUntil > 0) return Math.ceil((blockedUntil - now) / 1000)
    for (const { limit, row } of counts) {
      const count = nextCount(limit, row, now)
      await db.updateTable('sign_in_attempts').set(count).where('subject', '=', limit.subject).execute()
    }
    return 0
  })
}

/** Removes an attempt from the counts after a correct password, and remembers the network for the account. */
export async function clearAttempt(storage: Storage, attempt: SignInAttempt, now: number): Promise<void> {
  const { pair, address, account, known } = toSubjects(attempt)
  await storage.db.transaction().execute(async (db) => {
    for (const subject of [pair, address, account].sort()) {
      if (subject === pair) await db.deleteFrom('sign_in_attempts').where('subject', '=', pair).execute()
      else await decrementFailures(db, subject)
    }
    const knownNetwork = { failures: 0, blocks: 0, until: now, forget_at: now + knownNetworkMs }
    await db
      .insertInto('sign_in_attempts')
      .values({ subject: known, ...knownNetwork })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet(knownNetwork))
      .execute()
  })
}

async function decrementFailures(db: Kysely<Schema>, subject: string): Promise<void> {
  await db
    .updateTable('sign_in_attempts')
    .set((row) => ({ failures: row('failures', '-', 1) }))
    .where('subject', '=', subject)
    .where('failures', '>', 0)
    .execute()
}

async function findLimits(db: Kysely<Schema>, attempt: SignInAttempt, now: number): Promise<Limit[]> {
  const { pair, address, account, known } = toSubjects(attempt)
  const knownNetwork = await db
    .selectFrom('sign_in_attempts')
    .select('subject')
    .where('subject', '=', known)
    .where('forget_at', '>', now)
    .executeTakeFirst()
  const limits = [
    { subject: pair, maxFailures: 5, maxDoublings: 4 },
    { subject: address, maxFailures: 30, maxDoublings: 2 },
    ...(knownNetwork ? [] : [{ subject: account, maxFailures: 60, maxDoublings: 0 }]),
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

async function lockRow(
  db: Kysely<Schema>,
  { dialect }: Storage,
  subject: string,
  now: number,
): Promise<Count> {
  await db
    .insertInto('sign_in_attempts')
    .values({ subject, failures: 0, blocks: 0, until: now, forget_at: now })
    .onConflict((conflict) => conflict.column('subject').doNothing())
    .execute()
  return db
    .selectFrom('sign_in_attempts')
    .select(['failures', 'blocks', 'until', 'forget_at'])
    .where('subject', '=', subject)
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow()
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

/** Returns the network of an address: for IPv6 the first 64 bits, because one client can use all addresses in it. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':').length : 0
  const filled =
    tail === undefined ? groups : [...groups, ...Array<string>(8 - groups.length - last).fill('0')]
  return filled
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
