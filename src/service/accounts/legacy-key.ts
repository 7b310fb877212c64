import { scopes } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { appendUserAudit } from '../admin/audit-log.js'
import { validateName } from '../admin/validate-name.js'
import { HttpError, type HttpResponse, invalidFields, jsonResponse } from '../http/response.js'
import { type OAuthRequestContext, readForm, readParameter } from '../oauth/oauth-request-context.js'
import { insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { checkCredentials } from './check-credentials.js'
import { generateToken, hashToken, lockUser } from './tokens.js'

/**
 * POST /api/v1/authenticate: issues a key with full access that does not expire, unless the company limits the age
 * of keys (service-api-v1.md section 5, legacy API keys). Throws HttpError 422 for a missing field, 401 for wrong
 * credentials, 404 where keys are disabled.
 */
export async function issueLegacyKey(context: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(context.request)
  const [email, password, application] = ['email', 'password', 'application'].map((name) =>
    readParameter(form, name),
  )
  if (!(await acceptsKeys(context.storage))) {
    throw new HttpError(404, 'legacy_keys_disabled', 'This service issues no legacy keys. Use OAuth 2.0.')
  }
  if (email === undefined) throw invalidFields({ email: ['is required'] })
  if (password === undefined) throw invalidFields({ password: ['is required'] })
  const name = validateApplication(application)
  const result = await checkCredentials(context, email, password)
  if (result === 'wrong') throw wrongCredentials()
  if ('retryAfterSeconds' in result) return tooManyAttempts(result.retryAfterSeconds)
  const key = await issueKey(context, result, name)
  if (key === undefined) throw wrongCredentials()
  return jsonResponse({ api_key: key })
}

/** Issues a key; returns undefined if the password was reset or the user deactivated since the check. */
export async function issueKey(
  { storage, address, now }: Pick<OAuthRequestContext, 'storage' | 'address' | 'now'>,
  { userId, passwordHash }: { userId: number; passwordHash: string },
  name: string,
): Promise<string | undefined> {
  const key = generateToken(now)
  return storage.queries.transaction(async (queries) => {
    const user = await lockUser(queries, userId)
    if (user?.password !== passwordHash) return undefined
    await queries.all(
      insertInto('tokens', {
        user_id: userId,
        hash: hashToken(key),
        kind: 'key',
        scopes: scopes.join(' '),
        name,
        created_at: now,
      }),
    )
    await appendUserAudit(queries, userId, { at: now, event: 'key_issued', address, details: name })
    return key
  })
}

async function acceptsKeys({ queries }: Storage): Promise<boolean> {
  const [company] = await queries.all<{ legacy_keys: number }>(sql`select legacy_keys from company`)
  return company?.legacy_keys !== 0
}

const wrongCredentials = () =>
  new HttpError(401, 'invalid_credentials', 'The email address or the password is wrong.')

function validateApplication(application: string | undefined): string {
  if (application === undefined) throw invalidFields({ application: ['is required'] })
  try {
    return validateName('application', application)
  } catch (error) {
    throw error instanceof TtError
      ? invalidFields({ application: ['must be a name of 1 to 255 characters'] })
      : error
  }
}

function tooManyAttempts(retryAfterSeconds: number): HttpResponse {
  const message = `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`
  return jsonResponse({ error: 'too_many_attempts', message, errors: {} }, 429, {
    'Retry-After': String(retryAfterSeconds),
  })
}
