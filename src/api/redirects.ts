import { baseUrlHint, InvalidResponseError } from './errors.js'
import type { OutgoingRequest, StreamedResponse, Transport } from './transport.js'

const maxRedirects = 5

/** Sends, and goes where the service points, as long as that is its own origin. Throws NonsenseError where it is not. */
export async function followRedirects(
  send: Transport,
  first: URL,
  request: OutgoingRequest,
): Promise<{ answer: StreamedResponse; url: URL }> {
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await send(url.href, request)
    if (![301, 302, 303, 307, 308].includes(answer.status)) return { answer, url }
    // What is not read to its end keeps the connection.
    await answer.text()
    url = redirectTarget(url, request.method, answer)
  }
  throw new InvalidResponseError(`The service redirects more than ${maxRedirects} times (${first.pathname}).`)
}

/** Where a redirect leads (RFC 9110 section 15.4). Throws NonsenseError where it must not be followed. */
function redirectTarget(from: URL, method: string, { status, headers }: StreamedResponse): URL {
  const location = headers.get('location')
  if (!location || !URL.canParse(location, from.href)) {
    throw new InvalidResponseError(`The service redirects without saying where to (${status}).`, { status })
  }
  const target = new URL(location, from)
  if (target.origin !== from.origin) {
    const other = target.origin === 'null' ? target.protocol : target.origin
    throw new InvalidResponseError(`The service redirects to ${other}. The token was not sent there.`, {
      status,
      hint: 'If that is where your service is now, use it as the base URL.',
    })
  }
  if (status < 307 && method !== 'GET' && method !== 'HEAD') {
    throw new InvalidResponseError(
      `The service answered ${method} with a redirect to ${target.pathname} (${status}).`,
      {
        status,
        hint: baseUrlHint,
      },
    )
  }
  return target
}
