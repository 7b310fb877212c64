import { readFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

interface HttpsRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | URLSearchParams
  /** The address of this machine from which to connect. */
  localAddress?: string
  signal?: AbortSignal
  redirect?: 'manual'
}

export type HttpsClient = (url: URL | string, init?: HttpsRequest) => Promise<Response>

/**
 * Returns a function like `fetch` that trusts this certificate, and does not follow redirects. A response that is not read
 * stays unread in its connection.
 *
 * @param authority the file of the certificate
 */
export function createHttpsClient(authority: string): HttpsClient {
  const ca = readFileSync(authority)
  return (url, { body, headers = {}, redirect: _, ...init } = {}) => {
    const type = body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json'
    const all = { 'content-type': type, ...headers }
    const options: RequestOptions = { ...init, ca, headers: all, agent: false, family: 4 }
    return new Promise((resolve, reject) => {
      const outgoing = request(url, options, (incoming) => {
        const received = new Headers()
        for (const [name, value = []] of Object.entries(incoming.headers))
          for (const each of [value].flat()) received.append(name, each)
        const status = incoming.statusCode ?? 0
        const content = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
        resolve(
          new Response(status === 204 ? null : (content as ConstructorParameters<typeof Response>[0]), {
            status,
            headers: received,
          }),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : String(body))
    })
  }
}
