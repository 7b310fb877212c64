import { lockUser } from '../../accounts/revocation.js'
import { appendUserAudit } from '../../admin/audit-log.js'
import { normalizeEmail } from '../../admin/users.js'
import { isStorable } from '../../resources/values.js'
import { ownerEmail } from '../../storage/owner.js'
import type { Queries } from '../../storage/queries.js'
import { insertInto, sql } from '../../storage/sql.js'
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
  return storage.queries.transaction(async (queries) => {
    const linkedId = await findLink(queries, identity)
    if (linkedId !== undefined) return (await lockUser(queries, linkedId)) ? { userId: linkedId } : 'inactive'
    if (email === undefined) return 'email-missing'
    if (!emailVerified) return 'email-unverified'
    const user = await findUser(queries, email)
    if (!user) return 'unknown'
    if (!(await lockUser(queries, user.id))) return 'inactive'
    const link = insertInto('identities', { issuer, subject, user_id: user.id, created_at: now })
    const [added] = await queries.all(sql`${link} on conflict do nothing returning user_id`)
    // Another request may have linked the same identity since.
    if (!added)
      return (await findLink(queries, identity)) === user.id ? { userId: user.id } : 'linked-to-another'
    await appendUserAudit(queries, user.id, { at: now, event: 'identity_linked', address, details: issuer })
    return { userId: user.id }
  })
}

async function findLink(queries: Queries, { issuer, subject }: Identity): Promise<number | undefined> {
  const [link] = await queries.all<{ user_id: number }>(
    sql`select user_id from identities where issuer = ${issuer} and subject = ${subject}`,
  )
  return link?.user_id
}

/** Returns the user with that email address; never the owner of a local workspace, who administers it. */
async function findUser(queries: Queries, email: string): Promise<{ id: number } | undefined> {
  const address = normalizeEmail(email)
  if (!isStorable(address) || address === ownerEmail) return undefined
  const [user] = await queries.all<{ id: number }>(sql`select id from users where email = ${address}`)
  return user
}
