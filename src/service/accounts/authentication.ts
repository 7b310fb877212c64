import { type Scope, scopes } from '../../api-client/types.js'
import { HttpError } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import type { TokenKind, Visibility } from '../storage/schema.js'
import { type Sql, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { expiryOf, hashToken } from './tokens.js'

/** The user of a request and the scopes of its token. */
export interface AuthenticatedUser {
  userId: number
  scopes: ReadonlySet<Scope>
  /** The time zone of the company, if it was read with the token. */
  timeZone?: string | undefined
  /** Whether the user sees all projects; undefined if the visibility of the company was not read with the token. */
  seesEverything?: boolean | undefined
}

/** Resolves to the user of a bearer token; undefined for an unknown, expired or revoked token, and for an empty text. */
type Authenticate = (token: string) => Promise<AuthenticatedUser | undefined>

/** The user that a token belonged to when it was last checked. */
interface ExpectedUser {
  user: AuthenticatedUser
  /**
   * Does the work of a request with queries whose first statement checks the token. Resolves to undefined, and nothing was
   * changed, if the token, its user or the settings of the company are not as expected.
   */
  handle<Result>(queries: Queries, work: (queries: Queries) => Promise<Result>): Promise<Result | undefined>
}

/** How the app finds the user of a request. */
export interface Authentication {
  authenticate: Authenticate
  /** Returns the user that a bearer token belonged to when it was last checked, if that is known. */
  expectUser?: (token: string) => ExpectedUser | undefined
}

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
): Required<Authentication> {
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
    const check = checkOf(hash, found)
    expected.set(hash, {
      user,
      untilMs,
      async handle(queries, work) {
        const checked = checkedQueries(queries, check)
        try {
          const result = await work(checked).catch(async (error: unknown) => {
            // The reason of a rejection is only for the user, even if no statement was needed for it.
            if (error instanceof HttpError) await checked.confirm()
            throw error
          })
          await checked.confirm()
          return result
        } catch (error) {
          if (error instanceof UnexpectedTokenError) expected.delete(hash)
          // A failure, such as of the database, may have been that of the first statement.
          else if (error instanceof HttpError || (await isValid(hash))) throw error
          return undefined
        }
      },
    })
  }

  /** Whether a token is valid; true if that cannot be read. */
  const isValid = (hash: string) =>
    find(hash).then(
      (user) => user !== undefined,
      () => true,
    )

  async function find(hash: string): Promise<AuthenticatedUser | undefined> {
    const now = clock().getTime()
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
  }

  return {
    authenticate: async (token) => (token === '' ? undefined : find(hashToken(token))),
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

/** The token, its user or the settings of the company are not as expected. Nothing was changed. */
class UnexpectedTokenError extends Error {
  override readonly name = 'UnexpectedTokenError'
  constructor() {
    super('The token is not as it was at its last check.')
  }
}

interface CheckedQueries extends Queries {
  /** Checks the token unless a statement has. Rejects with UnexpectedTokenError. */
  confirm(): Promise<void>
}

/**
 * Returns queries for a request whose token is yet to be checked: the conditions of its first statement check the token, too,
 * which saves a statement. Every statement rejects with UnexpectedTokenError, without an effect, if the check fails.
 */
function checkedQueries(queries: Queries, check: Sql): CheckedQueries {
  let isConfirmed = false

  async function confirm() {
    if (isConfirmed) return
    const rows = await queries.all(check)
    if (rows.length === 0) throw new UnexpectedTokenError()
    isConfirmed = true
  }

  const checked =
    (run: Queries['read']): Queries['read'] =>
    async <Row>(conditions: readonly Sql[], build: (where: Sql) => Sql) => {
      const rows = await run<Row>(isConfirmed ? conditions : [...conditions, sql`exists (${check})`], build)
      // Without a result or an effect, the reason may be the token or another condition.
      if (rows.length === 0) await confirm()
      isConfirmed = true
      return rows
    }

  return {
    dialect: queries.dialect,
    origin: queries.origin ?? queries,
    confirm,
    async all(query) {
      await confirm()
      return queries.all(query)
    },
    read: checked((conditions, build) => queries.read(conditions, build)),
    change: checked((conditions, build) => queries.change(conditions, build)),
    async transaction(work) {
      await confirm()
      return queries.transaction(work)
    },
  }
}
