import { appendAudit } from '../admin/audit-log.js'
import { normalizeEmail } from '../admin/users.js'
import { HttpError } from '../http/response.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import { isStorable } from '../resources/values.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { verifyPassword } from './passwords.js'
import { blockedSeconds, recordFailure, recordSuccess } from './sign-in-limits.js'

/** `passwordHash` is the one that the password matches: what is issued for it requires that it has not changed since. */
export type CredentialCheck =
  | { userId: number; passwordHash: string }
  | 'wrong'
  | { retryAfterSeconds: number }

/**
 * Returns the user with this email address and password. During a block, the correct password is refused too. Throws
 * HttpError 503 while too many sign-ins wait.
 */
export async function checkCredentials(
  context: OAuthRequestContext,
  email: string,
  password: string,
): Promise<CredentialCheck> {
  const result = await check(context, email, password)
  context.onSignIn?.(result === 'wrong' ? 'wrong' : 'userId' in result ? 'success' : 'blocked')
  return result
}

async function check(
  { storage, address, now, passwordCost }: OAuthRequestContext,
  email: string,
  password: string,
): Promise<CredentialCheck> {
  const attempt = { email: normalizeEmail(email), address }
  const release = await waitForTurn()
  let user: UserRow | undefined
  let isCorrect: boolean
  try {
    // Checked when it is their turn, so that the rest of many parallel attempts costs no hashes.
    const retryAfterSeconds = await blockedSeconds(storage, attempt, now)
    if (retryAfterSeconds > 0) return { retryAfterSeconds }
    user = await findUser(storage, attempt.email)
    isCorrect = await verifyPassword(password, user?.active ? user.password : null, passwordCost)
  } finally {
    release()
  }
  const passwordHash = isCorrect ? user?.password : undefined
  const record = passwordHash ? recordSuccess : recordFailure
  const retryAfterSeconds = await record(storage, attempt, now)
  if (retryAfterSeconds > 0) return { retryAfterSeconds }
  // The text may be a password that was typed into the wrong field: only the addresses of accounts are recorded.
  const actor = user ? attempt.email : null
  await appendAudit(storage.queries, {
    at: now,
    event: passwordHash ? 'sign_in' : 'sign_in_failed',
    actor,
    address,
  })
  return user && passwordHash ? { userId: user.id, passwordHash } : 'wrong'
}

interface UserRow {
  id: number
  password: string | null
  active: number
}

async function findUser({ queries }: Storage, email: string): Promise<UserRow | undefined> {
  if (!isStorable(email)) return undefined
  const [user] = await queries.all<UserRow>(
    sql`select id, password, active from users where email = ${email}`,
  )
  return user
}

/** The number of passwords that are hashed at the same time. Node has four threads, which files need too. */
const maxParallelHashes = 3

/**
 * Upper bound for the sign-ins that wait for their hash: some seconds of work, which is less than the time limit of
 * clients. Without a bound, others would wait for minutes, also for sign-ins whose clients have given up.
 */
export const maxWaitingSignIns = 100

/** When clients may try again, in seconds. Most of the queue is done by then. */
const retryAfterSeconds = 5

let hashesInProgress = 0
const waiting: (() => void)[] = []

/**
 * Waits until a password may be hashed. Returns the function that ends the turn. Throws HttpError 503 while too many
 * sign-ins wait.
 */
export async function waitForTurn(): Promise<() => void> {
  if (hashesInProgress < maxParallelHashes) hashesInProgress++
  else if (waiting.length < maxWaitingSignIns) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw tooManySignIns()
  return () => {
    const next = waiting.shift()
    if (next) next()
    else hashesInProgress--
  }
}

function tooManySignIns(): HttpError {
  const message = 'Too many people are signing in at the moment. Try again in a few seconds.'
  return new HttpError(503, 'unavailable', message, {}, { 'Retry-After': String(retryAfterSeconds) })
}
