/** The problems of each field of a request body, by field name. */
export type FieldErrors = Record<string, string[]>

/** An error response (service-api-v1.md section 7). */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldErrors = {},
  ) {
    super(message)
  }
}

export const badRequest = (message: string) => new HttpError(400, 'bad_request', message)
export const invalidQuery = (message: string) => new HttpError(400, 'invalid_query', message)
export const notFound = (message: string) => new HttpError(404, 'not_found', message)
export const conflict = (field: string, problem: string) =>
  new HttpError(409, 'conflict', `${field} ${problem}.`, { [field]: [problem] })

/** Returns the error 422, whose message lists the problems of all fields. */
export function invalidFields(errors: FieldErrors): HttpError {
  const problems = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
  return new HttpError(422, 'invalid', `${problems.join('; ')}.`, errors)
}
