import type { Kysely } from 'kysely'
import { lockUser } from '../../accounts/revocation.js'
import { appendUserAudit } from '../../admin/audit-log.js'
import { normalizeEmail } from '../../admin/users.js'
import { isStorable } from '../../resources/values.js'
import { ownerEmail } from '../../storage/owner.js'
import type { Schema } from '../../storage/schema.js'
import type { Storage } from '../../storage/storage.js'
import type { Identity } from './identity-provider.js'

/** Why the user is not signed in. */
export type Refusal = 'email-missing' | 'email-unverified' | 'unknown' | 'inactive' | 'linked-to-another'

/**
 * Returns the user who is linked to an identity. At the first sign-in the user with its verified email address is linked
 * for good: from then on only issuer and subject count, because an email address can be given to another person.
 */
export async function findLinkedUser(
  storage: Storage,
  identity: Identity,
  { address, now }: { address: string; now: number },
): Promise<{ userId: number } | Refusal> {
  const { issuer, subject, email, emailVerified } = identity
  if (![issuer, subject].every(isStorable)) return 'unknown'
  return storage.db.transaction().execute(async (db) => {
    const linkedId = await findLink(db, identity)
    if (linkedId !== undefined)
      return (await lockUser(db, storage, linkedId)) ? { userId: linkedId } : 'inactive'
    if (email === undefined) return 'email-missing'
    if (!emailVerified) return 'email-unverified'
    const user = await findUser(db, email)
    if (!user) return 'unknown'
    if (!(await lockUser(db, storage, user.id))) return 'inactive'
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('identities')
      .values({ issuer, subject, user_id: user.id, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    // Another request may have linked the same identity since.
    if (numInsertedOrUpdatedRows === 0n)
      return (await findLink(db, identity)) === user.id ? { userId: user.id } : 'linked-to-another'
    await appendUserAudit(db, user.id, { at: now, event: 'identity_linked', address, details: issuer })
    return { userId: user.id }
  })
}

async function findLink(db: Kysely<Schema>, { issuer, subject }: Identity): Promise<number | undefined> {
  const row = await db
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** Returns the user with that email address; never the owner of a local workspace, who administers it. */
async function findUser(db: Kysely<Schema>, email: string) {
  const address = normalizeEmail(email)
  if (!isStorable(address) || address === ownerEmail) return undefined
  return db.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst()
}
