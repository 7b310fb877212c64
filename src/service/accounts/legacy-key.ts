import { scopes } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { validateName } from '../admin/validate-name.js'
import { HttpError, invalidFields } from '../http/http-error.js'
import { type HttpResponse, jsonResponse } from '../http/response.js'
import { readForm, readParameter } from '../oauth/form-parameters.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import { checkCredentials } from './check-credentials.js'
import { generateToken, hashToken } from './tokens.js'

/**
 * POST /api/v1/authenticate: issues a key with full access that does not expire (service-api-v1.md section 5, legacy API
 * keys). Throws HttpError 422 for a missing field, 401 for wrong credentials.
 */
export async function issueLegacyKey(context: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(context.request)
  const [email, password, application] = ['email', 'password', 'application'].map((name) =>
    readParameter(form, name),
  )
  if (email === undefined) throw invalidFields({ email: ['is required'] })
  if (password === undefined) throw invalidFields({ password: ['is required'] })
  const name = validateApplication(application)
  const result = await checkCredentials(context, email, password)
  if (result === 'wrong') {
    throw new HttpError(401, 'invalid_credentials', 'The email address or the password is wrong.')
  }
  if ('retryAfterSeconds' in result) return tooManyAttempts(result.retryAfterSeconds)
  const key = generateToken()
  await context.storage.db
    .insertInto('tokens')
    .values({
      user_id: result.userId,
      hash: hashToken(key),
      scopes: scopes.join(' '),
      name,
      created_at: context.now,
    })
    .execute()
  return jsonResponse({ api_key: key })
}

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
