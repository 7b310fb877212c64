import { isObject } from '../../lib/is-object.js'
import { badRequest, HttpError } from './http-error.js'
import type { RequestLike } from './request-context.js'

export const maxBodyBytes = 1024 * 1024

/** Reads the JSON object in the body of a request. Throws HttpError 400 if there is none, and 413 above 1 MiB. */
export async function readJsonObject(request: RequestLike): Promise<Record<string, unknown>> {
  const text = await readText(request)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not JSON.')
  }
  if (!isObject(value)) throw badRequest('The body is not a JSON object.')
  return value
}

/** Reads the body of a request as text. Throws HttpError 413 above 1 MiB, and 400 when the client disconnects before its end. */
export async function readText(request: RequestLike): Promise<string> {
  try {
    return await receiveText(request)
  } catch (error) {
    throw error instanceof HttpError ? error : badRequest('The body is incomplete.')
  }
}

async function receiveText(request: RequestLike): Promise<string> {
  const contentLength = request.headers.get('Content-Length')
  if (contentLength !== null) {
    if (Number(contentLength) > maxBodyBytes) throw tooLarge()
    return request.text()
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxBodyBytes) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const tooLarge = () => new HttpError(413, 'too_large', 'The body is larger than 1 MiB.')
