import { type Kysely, sql } from 'kysely'
import { TtError } from '../../lib/errors.js'
import { countText } from '../../lib/text/count-text.js'
import {
  isRemovedEmail,
  normalizeEmail,
  removedEmail,
  toUser,
  type User,
  unknownUserError,
  userColumns,
} from '../admin/users.js'
import { ownerEmail } from '../storage/owner.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { inTransaction } from '../storage/transaction.js'
import { forgetSignIns } from './sign-in-limits.js'

/** The time and the expenses of a user. */
export interface UserRecords {
  entries: number
  /** The time of the entries in seconds; a running one counts up to now. */
  seconds: number
  expenses: number
}

/** What happens to the records of a removed user. */
export type RecordsAction = 'keep' | 'delete'

interface Removal {
  email: string
  /** Required for a user with records. */
  action: RecordsAction | undefined
  clock: () => Date
  /** The records that an administrator has confirmed to delete. */
  confirmed?: UserRecords | undefined
}

/** Returns the user with that email address and the number of their records. Throws TtError like `removeUser`. */
export async function recordsOfUser(
  { db }: Storage,
  email: string,
  now: Date,
): Promise<User & { records: UserRecords }> {
  requireRemovable(email)
  const user = await db
    .selectFrom('users')
    .select(userColumns)
    .where('email', '=', normalizeEmail(email))
    .executeTakeFirst()
  if (!user) throw unknownUserError(email)
  return { ...toUser(user), records: await countRecords(db, user.id, now) }
}

/**
 * Removes a user with all credentials, sign-ins and assignments. Records stay under "Removed user 12", which has no email
 * address and cannot sign in, or are deleted. Running entries that stay end now. Their changes in the audit log are
 * deleted; its other records stay.
 *
 * Returns the user as it was. Throws TtError `not_found`, `usage` for the owner of a local workspace and for records
 * without an action, and `failure` when the records are not the confirmed ones.
 */
export async function removeUser(
  storage: Storage,
  { email, action, clock, confirmed }: Removal,
): Promise<User & { records: UserRecords }> {
  requireRemovable(email)
  const address = normalizeEmail(email)
  return inTransaction(storage.db, async (db) => {
    // This update changes nothing and locks the row: a request that adds a record waits.
    const found = await db
      .updateTable('users')
      .set((row) => ({ active: row.ref('active') }))
      .where('email', '=', address)
      .returning(userColumns)
      .executeTakeFirst()
    if (!found) throw unknownUserError(email)
    const user = toUser(found)
    const records = await countRecords(db, user.id, clock())
    const hasRecords = records.entries + records.expenses > 0
    if (hasRecords && action === undefined) throw recordsError(user, records)
    if (action === 'keep' && isRemovedEmail(address)) throw removedError(user)
    if (action === 'delete' && confirmed && !hasSameCounts(records, confirmed)) throw changedError(user)
    await removeAccess(db, user)
    if (hasRecords && action === 'keep') await anonymize(db, user.id, clock().getTime())
    else await deleteUser(db, user.id)
    await db.deleteFrom('record_changes').where('user_id', '=', user.id).execute()
    return { ...user, records }
  })
}

/** Throws TtError `usage` for the only user of a local workspace, who administers it. */
function requireRemovable(email: string) {
  if (normalizeEmail(email) !== ownerEmail) return
  throw new TtError('usage', `${ownerEmail} is the owner of the local workspace and cannot be removed.`, {
    hint: 'Name another user, or another database.',
  })
}

async function countRecords(db: Kysely<Schema>, userId: number, now: Date): Promise<UserRecords> {
  const { entries, seconds } = await db
    .selectFrom('time_entries')
    .select(({ fn }) => fn.countAll().as('entries'))
    .select(
      // Whole seconds of each entry, as in reports.
      sql<number | string>`coalesce(sum(
        case when coalesce(time_end, ${now.getTime()}) > time_start
          then cast(coalesce(time_end, ${now.getTime()}) - time_start as bigint) / 1000
          else 0 end), 0)`.as('seconds'),
    )
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const { expenses } = await db
    .selectFrom('expenses')
    .select(({ fn }) => fn.countAll().as('expenses'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return {
    entries: Number(entries),
    seconds: Number(seconds),
    expenses: Number(expenses),
  }
}

/** Deletes passwords, tokens, consents, sessions, linked accounts, assignments and limits of sign-ins. */
async function removeAccess(db: Kysely<Schema>, { id, email }: User): Promise<void> {
  // Grants come first: a refresh in progress has locked its grant, and its tokens are visible afterwards.
  for (const table of ['grants', 'tokens', 'sessions', 'identities', 'assignments', 'spent_keys'] as const)
    await db.deleteFrom(table).where('user_id', '=', id).execute()
  await forgetSignIns(db, email)
}

/** Removes the personal data of a user whose records stay. */
async function anonymize(db: Kysely<Schema>, id: number, now: number): Promise<void> {
  await db
    .updateTable('time_entries')
    .set((entry) => ({
      time_end: sql<number>`case when ${entry.ref('time_start')} > ${now} then ${entry.ref('time_start')} else ${now} end`,
      updated_at: now,
    }))
    .where('user_id', '=', id)
    .where('time_end', 'is', null)
    .execute()
  await db
    .updateTable('users')
    .set({ email: removedEmail(id), name: `Removed user ${id}`, active: 0, password: null })
    .where('id', '=', id)
    .execute()
}

async function deleteUser(db: Kysely<Schema>, id: number): Promise<void> {
  for (const table of ['time_entries', 'expenses', 'imports'] as const)
    await db.deleteFrom(table).where('user_id', '=', id).execute()
  await db.deleteFrom('users').where('id', '=', id).execute()
}

const hasSameCounts = (one: UserRecords, other: UserRecords) =>
  one.entries === other.entries && one.expenses === other.expenses

function recordsError({ email }: User, { entries, expenses }: UserRecords): TtError {
  const counts = `${countText(entries, 'entry', 'entries')} and ${countText(expenses, 'expense')}`
  return new TtError('usage', `${email} has ${counts}. Nothing was removed.`, {
    nextStep: { action: 'choose_user_records' },
  })
}

function removedError({ email }: User): TtError {
  return new TtError('usage', `${email} is already removed; its records stay.`)
}

function changedError({ email }: User): TtError {
  return new TtError('failure', `The records of ${email} have changed since the confirmation.`, {
    hint: 'Nothing was removed. Repeat the command.',
  })
}
