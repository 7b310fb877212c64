import { badRequest, HttpError } from '../http/http-error.js'
import { readText } from '../http/request-body.js'

/** Reads the fields of a form (application/x-www-form-urlencoded). Throws HttpError 415 for another type, 413 above 1 MiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, 'unsupported_media_type', 'The body must be application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(await readText(request))
}

/**
 * Returns the value of a parameter, or undefined if it is missing or empty. Throws HttpError 400 if it is repeated (RFC
 * 6749 section 3.1).
 */
export function readParameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value, second] = parameters.getAll(name)
  if (second !== undefined) throw badRequest(`${name} is repeated.`)
  return value || undefined
}
