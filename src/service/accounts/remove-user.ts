import { TtError } from '../../lib/errors.js'
import { countText } from '../../lib/text/words.js'
import {
  findUser,
  isRemovedEmail,
  lockedUser,
  normalizeEmail,
  removedEmail,
  type User,
} from '../admin/users.js'
import type { Queries } from '../storage/queries.js'
import { ownerEmail } from '../storage/schema.js'
import { identifier, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
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
  { queries }: Storage,
  email: string,
  now: Date,
): Promise<User & { records: UserRecords }> {
  requireRemovable(email)
  const user = await findUser(queries, email)
  return { ...user, records: await countRecords(queries, user.id, now) }
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
  return storage.queries.transaction(async (queries) => {
    // A request that adds a record waits.
    const user = await lockedUser(queries, email)
    const records = await countRecords(queries, user.id, clock())
    const hasRecords = records.entries + records.expenses > 0
    if (hasRecords && action === undefined) throw recordsError(user, records)
    if (action === 'keep' && isRemovedEmail(address)) throw removedError(user)
    if (action === 'delete' && confirmed && !hasSameCounts(records, confirmed)) throw changedError(user)
    await removeAccess(queries, user)
    if (hasRecords && action === 'keep') await anonymize(queries, user.id, clock().getTime())
    else await deleteUser(queries, user.id)
    await deleteOf(queries, user.id, ['record_changes'])
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

async function countRecords(queries: Queries, userId: number, now: Date): Promise<UserRecords> {
  const at = now.getTime()
  // Whole seconds of each entry, as in reports.
  const [counts] = await queries.all<{ entries: number; seconds: number | string; expenses: number }>(sql`
    select count(*) as entries,
      coalesce(sum(case when coalesce(time_end, ${at}) > time_start
        then cast(coalesce(time_end, ${at}) - time_start as bigint) / 1000 else 0 end), 0) as seconds,
      (select count(*) from expenses where user_id = ${userId}) as expenses
    from time_entries where user_id = ${userId}`)
  const { entries = 0, seconds = 0, expenses = 0 } = counts ?? {}
  return { entries, seconds: Number(seconds), expenses }
}

/** Deletes passwords, tokens, consents, sessions, linked accounts, assignments and limits of sign-ins. */
async function removeAccess(queries: Queries, { id, email }: User): Promise<void> {
  // Grants come first: a refresh in progress has locked its grant, and its tokens are visible afterwards.
  const tables = ['grants', 'tokens', 'sessions', 'identities', 'assignments', 'spent_keys']
  await deleteOf(queries, id, tables)
  await forgetSignIns(queries, email)
}

/** Removes the personal data of a user whose records stay. */
async function anonymize(queries: Queries, id: number, now: number): Promise<void> {
  await queries.all(sql`
    update time_entries set time_end = case when time_start > ${now} then time_start else ${now} end,
      updated_at = ${now}
    where user_id = ${id} and time_end is null`)
  await queries.all(sql`
    update users set email = ${removedEmail(id)}, name = ${`Removed user ${id}`}, active = 0, password = null
    where id = ${id}`)
}

async function deleteUser(queries: Queries, id: number): Promise<void> {
  await deleteOf(queries, id, ['time_entries', 'expenses', 'imports'])
  await queries.all(sql`delete from users where id = ${id}`)
}

/** Deletes the rows of a user in these tables. */
async function deleteOf(queries: Queries, userId: number, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    await queries.all(sql`delete from ${identifier(table)} where user_id = ${userId}`)
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
