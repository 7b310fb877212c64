import { badRequest, HttpError } from '../http/errors.js'
import { readText } from '../http/request-body.js'

/** The fields of a form (application/x-www-form-urlencoded). Throws HttpError 415 for a body of another kind, 413. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, 'unsupported_media_type', 'Send the parameters form-encoded.')
  }
  return new URLSearchParams(await readText(request))
}

/** A parameter; empty is missing, and twice is an error (RFC 6749 section 3.1): HttpError 400. */
export function singleValue(parameters: URLSearchParams, name: string): string | undefined {
  const [value, another] = parameters.getAll(name)
  if (another !== undefined) throw badRequest(`${name} is there twice.`)
  return value || undefined
}
