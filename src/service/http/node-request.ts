import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { maxBodyBytes } from './request-body.js'
import { acceptsPages, type RequestLike } from './request-context.js'
import { type HttpResponse, RecordBatches, toFetchResponse, toSocketHeaders } from './response.js'
import { findRoute } from './routes.js'
import { endOfTurn } from './turns.js'

const plainMethods = ['GET', 'POST', 'PATCH', 'DELETE']
const plainHost = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/

/**
 * Returns a request to the API as the app reads it. Returns undefined for one that fetch handles: for another path, an
 * unusual host, a page, and a body without a length or over the limit.
 */
export function toApiRequest(incoming: IncomingMessage): RequestLike | undefined {
  const { method = '', url = '', headers } = incoming
  const { host = '', 'content-length': length = '0' } = headers
  const [path = ''] = url.split('?', 1)
  const isPlain =
    plainMethods.includes(method) && plainHost.test(host) && findRoute(path) && !acceptsPages(headers.accept)
  if (!isPlain || headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return undefined
  if (Number(length) > maxBodyBytes) return undefined
  let text: Promise<string> | undefined
  return {
    method,
    url: `http://${host}${url}`,
    headers: { get: (name) => headerOf(incoming, name.toLowerCase()) },
    text() {
      text ??= readText(incoming)
      return text
    },
    isRepeatable: true,
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(', ')
}

const decoder = new TextDecoder()

/** Reads a body whose length is known. Rejects when the client disconnects before its end. */
function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    // An error with its stack takes longer to create than the body to read.
    const rejectIncomplete = () => reject(new Error('The connection ended before the body.'))
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => {
      incoming.off('close', rejectIncomplete)
      resolve(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    })
    incoming.once('error', reject)
    incoming.once('close', rejectIncomplete)
  })
}

/**
 * Writes a response: a text at the end of the turn, together with others, a stream as fast as the client reads it. Rejects
 * when either fails.
 */
export async function sendResponse(outgoing: ServerResponse, response: HttpResponse): Promise<void> {
  const { status, headers, body } = response
  const text = body instanceof RecordBatches ? body.text() : body
  if (text === null || typeof text === 'string') {
    const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text ?? '') }
    await endOfTurn()
    outgoing.writeHead(status, { ...toSocketHeaders(headers), ...length })
    outgoing.end(text ?? undefined)
    return
  }
  const { body: stream } = toFetchResponse({ status, headers, body: text })
  // Nothing else ends a stream that is never read.
  if (outgoing.destroyed) return stream?.cancel()
  outgoing.writeHead(status, toSocketHeaders(headers))
  await pipeline(Readable.fromWeb(stream as ReadableStream, { highWaterMark: 1 }), outgoing)
}
