import { baseUrlHint, InvalidResponseError } from '../api-errors.js'
import type { OutgoingRequest, StreamedResponse, Transport } from './transport.js'

const maxRedirects = 5

/** Sends a request and follows redirects within the same origin. Throws InvalidResponseError for any other redirect. */
export async function followRedirects(
  send: Transport,
  initialUrl: URL,
  request: OutgoingRequest,
): Promise<{ response: StreamedResponse; url: URL }> {
  let url = initialUrl
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await send(url.href, request)
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url }
    // An unread body would occupy the connection.
    await response.text()
    url = redirectTarget(url, request.method, response)
  }
  throw new InvalidResponseError(
    `The service redirects more than ${maxRedirects} times (${initialUrl.pathname}).`,
  )
}

/** Returns the target of a redirect (RFC 9110 section 15.4). Throws InvalidResponseError if it must not be followed. */
function redirectTarget(from: URL, method: string, { status, headers }: StreamedResponse): URL {
  const location = headers.get('location')
  if (!location || !URL.canParse(location, from.href)) {
    throw new InvalidResponseError(`The service redirects without a valid target (${status}).`, { status })
  }
  const target = new URL(location, from)
  if (target.origin !== from.origin) {
    const other = target.origin === 'null' ? target.protocol : target.origin
    throw new InvalidResponseError(`The service redirects to ${other}. The token was not sent there.`, {
      status,
      hint: 'If the service has moved there, use that address as the base URL.',
    })
  }
  if (status < 307 && method !== 'GET' && method !== 'HEAD') {
    throw new InvalidResponseError(
      `The service redirects ${method} to ${target.pathname} (${status}), which does not preserve the method.`,
      { status, hint: baseUrlHint },
    )
  }
  return target
}
