import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Kysely } from 'kysely'
import { dayMs } from '../../lib/time-units.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'

/** Who tries to sign in, and from where. */
export interface SignInAttempt {
  email: string
  address: string
}

interface Limit {
  subject: string
  /** Failures in one window before the block. */
  most: number
  /** A block is as long as the window, doubled with each block before it up to this many times. */
  doublings: number
}

const windowMs = 15 * 60_000
const rememberedMs = 30 * dayMs

/**
 * Counts an attempt before its password is looked at, so that many at once are not more than one after the other,
 * and answers 0; or counts nothing and answers how many seconds it takes until the next one is possible.
 *
 * An address gets at an account 5 times, at all accounts together 30 times. An account is tried 60 times from
 * everywhere, but those addresses are exempt from which its owner has signed in: nobody can be locked out of there.
 */
export async function recordAttempt(storage: Storage, attempt: SignInAttempt, now: number): Promise<number> {
  return storage.db.transaction().execute(async (db) => {
    const limits = await limitsOf(db, attempt, now)
    const counts = []
    for (const limit of limits) counts.push({ limit, row: await lockedRow(db, storage, limit.subject, now) })
    const blockedUntil = Math.max(
      0,
      ...counts.map(({ limit, row }) => (row.until > now && row.failures >= limit.most ? row.until : 0)),
    )
    if (blockedUntil > 0) return Math.ceil((blockedUntil - now) / 1000)
    for (const { limit, row } of counts) {
      const counted = next(limit, row, now)
      await db.updateTable('sign_in_attempts').set(counted).where('subject', '=', limit.subject).execute()
    }
    return 0
  })
}

/** Takes back what `countAttempt` counted: the password was right. The address is known for the account from now on. */
export async function clearAttempt(storage: Storage, attempt: SignInAttempt, now: number): Promise<void> {
  const { pair, address, account, known } = subjectsOf(attempt)
  await storage.db.transaction().execute(async (db) => {
    for (const subject of [pair, address, account].sort()) {
      if (subject === pair) await db.deleteFrom('sign_in_attempts').where('subject', '=', pair).execute()
      else await countDown(db, subject)
    }
    const remembered = { failures: 0, blocks: 0, until: now, forget_at: now + rememberedMs }
    await db
      .insertInto('sign_in_attempts')
      .values({ subject: known, ...remembered })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet(remembered))
      .execute()
  })
}

async function countDown(db: Kysely<Schema>, subject: string): Promise<void> {
  await db
    .updateTable('sign_in_attempts')
    .set((row) => ({ failures: row('failures', '-', 1) }))
    .where('subject', '=', subject)
    .where('failures', '>', 0)
    .execute()
}

async function limitsOf(db: Kysely<Schema>, attempt: SignInAttempt, now: number): Promise<Limit[]> {
  const { pair, address, account, known } = subjectsOf(attempt)
  const remembered = await db
    .selectFrom('sign_in_attempts')
    .select('subject')
    .where('subject', '=', known)
    .where('forget_at', '>', now)
    .executeTakeFirst()
  const limits = [
    { subject: pair, most: 5, doublings: 4 },
    { subject: address, most: 30, doublings: 2 },
    ...(remembered ? [] : [{ subject: account, most: 60, doublings: 0 }]),
  ]
  // Rows are locked in one order everywhere, so that no two attempts wait for each other.
  return limits.sort((one, other) => (one.subject < other.subject ? -1 : 1))
}

interface Count {
  failures: number
  blocks: number
  until: number
  forget_at: number
}

async function lockedRow(
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

function next({ most, doublings }: Limit, row: Count, now: number): Count {
  const over = row.until <= now
  const forgotten = row.forget_at <= now
  const blocks = forgotten ? 0 : over && row.failures >= most ? row.blocks + 1 : row.blocks
  const failures = over ? 1 : row.failures + 1
  const full = now + windowMs * 2 ** Math.min(blocks, doublings)
  const until = failures >= most ? full : over ? now + windowMs : row.until
  return { failures, blocks, until, forget_at: until + dayMs }
}

function subjectsOf({ email, address }: SignInAttempt) {
  const network = networkOf(address)
  return {
    pair: subject('pair', email, network),
    address: subject('address', network),
    account: subject('account', email),
    known: subject('known', email, network),
  }
}

/** Hashed: people type passwords into the field of the address too. */
const subject = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Whoever has one IPv6 address has the 2^64 of its network. */
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
