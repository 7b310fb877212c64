import { scopes } from '../../api-client/types.js'
import type { AppOptions, AuthenticatedUser } from '../http/app.js'
import type { ExpectedUser } from '../http/expected-user.js'
import type { TokenKind, Visibility } from '../storage/schema.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { expiryOf, hashToken } from './tokens.js'

/** Upper bound for the users that are expected: they take a few MB. */
const maxExpected = 10_000

/**
 * Returns the functions that find the user of a bearer token by its hash; undefined for revoked and expired tokens and for
 * inactive users.
 *
 * `authenticate` records the use of a token, at most once an hour. From the first use of a token that an application
 * obtained, the refresh token before it counts as used (see `refreshTokens`). `expectUser` returns what the last check of
 * the token has found, until its use is to be recorded again.
 */
export function authenticateByToken(
  { queries }: Pick<Storage, 'queries'>,
  clock: () => Date,
): Required<Pick<AppOptions, 'authenticate' | 'expectUser'>> {
  const expected = new Map<string, ExpectedUser & { untilMs: number }>()

  /** Returns false when the token has been revoked in the meantime. */
  async function recordUse(id: number, now: number): Promise<boolean> {
    const rows = await queries.all(sql`
      update tokens set used_at = ${now} where id = ${id} and revoked_at is null returning id`)
    return rows.length > 0
  }

  function expect(hash: string, found: TokenRow, user: AuthenticatedUser, untilMs: number) {
    expected.delete(hash) // So that the tokens in use are the newest.
    const [oldest] = expected.keys()
    if (expected.size >= maxExpected && oldest !== undefined) expected.delete(oldest)
    expected.set(hash, {
      user,
      check: checkOf(hash, found),
      untilMs,
      forget: () => void expected.delete(hash),
    })
  }

  return {
    async authenticate(token) {
      if (token === '') return undefined
      const now = clock().getTime()
      const hash = hashToken(token)
      const [found] = await queries.all<TokenRow>(sql`
        select tokens.id, tokens.user_id, tokens.kind, tokens.scopes, tokens.created_at, tokens.expires_at,
          tokens.used_at, company.legacy_keys, company.legacy_key_days, company.time_zone, company.visibility
        from tokens inner join users on users.id = tokens.user_id left join company on 1 = 1
        where tokens.hash = ${hash} and tokens.revoked_at is null and users.active = 1`)
      const expiry = found && (expiryOf(found, found) ?? Number.POSITIVE_INFINITY)
      if (!found || expiry === undefined || expiry <= now) return undefined
      const isUseRecorded = found.used_at !== null && found.used_at > now - useIntervalMs
      if (!isUseRecorded && !(await recordUse(found.id, now))) return undefined
      const granted = found.scopes.split(' ')
      const user = {
        userId: found.user_id,
        scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
        timeZone: found.time_zone ?? undefined,
        seesEverything: found.visibility !== 'assigned',
      }
      const usedAt = isUseRecorded ? Number(found.used_at) : now
      expect(hash, found, user, Math.min(expiry, usedAt + useIntervalMs))
      return user
    },
    expectUser(token) {
      const found = expected.get(hashToken(token))
      return found && clock().getTime() < found.untilMs ? found : undefined
    },
  }
}

/** A valid token, with the settings of the company. */
interface TokenRow {
  id: number
  user_id: number
  kind: TokenKind
  scopes: string
  created_at: number
  expires_at: number | null
  used_at: number | null
  legacy_keys: number | null
  legacy_key_days: number | null
  time_zone: string | null
  visibility: Visibility | null
}

const useIntervalMs = 60 * 60_000

/**
 * Returns the query for one row as long as the token is not revoked and everything else is as `found`, except the time of
 * its use. A database that has lost the latest changes in a failover may not have the first use.
 */
function checkOf(hash: string, found: TokenRow) {
  return sql`
    select 1 from tokens inner join users on users.id = tokens.user_id left join company on 1 = 1
    where tokens.hash = ${hash} and tokens.revoked_at is null and tokens.used_at is not null
      and users.active = 1 and users.id = ${found.user_id} and tokens.id = ${found.id}
      and tokens.kind = ${found.kind} and tokens.scopes = ${found.scopes}
      and tokens.created_at = ${found.created_at} and coalesce(tokens.expires_at, -1) = ${found.expires_at ?? -1}
      and coalesce(company.legacy_keys, -1) = ${found.legacy_keys ?? -1}
      and coalesce(company.legacy_key_days, -1) = ${found.legacy_key_days ?? -1}
      and coalesce(company.time_zone, '') = ${found.time_zone ?? ''}
      and coalesce(company.visibility, '') = ${found.visibility ?? ''}`
}
