import { monotonicMs } from '../../lib/monotonic-clock.js'
import { checkLoopbackName } from './base-url.js'

/** One request to one address; redirects are separate requests. Header names are in lower case. */
export interface OutgoingRequest {
  method: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal | null
}

/** The part of `Headers` that this program uses. */
export interface HeadersLike {
  get(name: string): string | null
}

/** The part of `Response` that this program uses. */
interface ResponseLike {
  status: number
  headers: HeadersLike
  /** Undefined if only `text` can read the body. */
  body?: AsyncIterable<string | Uint8Array> | null
  text(): Promise<string>
  /** The records of a list from a service in this process: neither written as JSON nor parsed. */
  records?: RecordBatches
}

/** The records of a list in batches. */
export type RecordBatches = readonly unknown[][] | AsyncIterable<unknown[]>

/** The part of `fetch` that this program uses, and that the service in this process implements. */
export type Fetch = (
  url: string,
  init: Omit<OutgoingRequest, 'body'> & { body?: string; redirect: 'manual' },
) => Promise<ResponseLike>

/** A response whose body is still arriving. Read the body once and to its end, either with `text` or with `pieces`. */
export interface StreamedResponse {
  status: number
  headers: HeadersLike
  text(): Promise<string>
  pieces(): AsyncIterable<string>
  /** The records of a list, instead of its text, from a service in this process. */
  records?: RecordBatches | undefined
}

/** A response whose body has been read to its end. */
export interface BufferedResponse {
  status: number
  headers: HeadersLike
  text: string
}

/** Sends one request and returns its response, with any status. */
export type Transport = (url: string, request: OutgoingRequest) => Promise<StreamedResponse>

/** Returns a transport over the network. Without `insecureHttp`, it sends `http:` requests only to this machine. */
export function networkTransport(insecureHttp = false): Transport {
  if (insecureHttp) return sendWithOfetch
  return async (url, request) => {
    await checkLoopbackName(url)
    return sendWithOfetch(url, request)
  }
}

/**
 * Sends a request over the network with ofetch, which is loaded at the first request: it also loads Node's fetch, which
 * takes longer than a whole command in the local workspace.
 */
const sendWithOfetch: Transport = async (url, { body, ...request }) => {
  const { ofetch } = await import('ofetch')
  disableWasmOptimizer()
  const response = await ofetch.raw(url, {
    ...request,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    retry: false,
    // ofetch would buffer the body, and return invalid JSON as a string.
    responseType: 'stream',
    ignoreResponseError: true,
  })
  return streamedResponse(response)
}

/**
 * Turns off the optimizing compiler for the WebAssembly module with which Node's fetch parses HTTP: compiling takes a third
 * of the time of a command. Loads Node's fetch first, because V8 rejects Node's compiled code under another flag.
 */
function disableWasmOptimizer() {
  void globalThis.Headers
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only')
}

/** Returns a transport that calls a function like `fetch`, such as that of the service in this process. */
export function viaFetch(fetch: Fetch): Transport {
  return async (url, { body, ...request }) => {
    const response = await fetch(url, {
      ...request,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    })
    return streamedResponse(response)
  }
}

/** Reads the body of a response to its end. */
export async function bufferResponse({ status, headers, text }: StreamedResponse): Promise<BufferedResponse> {
  return { status, headers, text: await text() }
}

function streamedResponse(response: ResponseLike): StreamedResponse {
  const { status, headers, records } = response
  return { status, headers, text: () => response.text(), pieces: () => piecesOf(response), records }
}

async function* piecesOf(response: ResponseLike): AsyncGenerator<string> {
  if (response.body === undefined) return yield await response.text()
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? [])
    yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

/**
 * Returns a transport that reports method, path, status and duration of each exchange to `trace`, but no headers and no
 * bodies. The duration is in milliseconds and includes reading the body.
 */
export function withTrace(send: Transport, trace: ((line: string) => void) | undefined): Transport {
  if (!trace) return send
  return async (url, request) => {
    const start = monotonicMs()
    const report = (outcome: number | string) => {
      const durationMs = Math.round(monotonicMs() - start)
      trace(`${request.method} ${new URL(url).pathname} ${outcome} ${durationMs} ms`)
    }
    const reportFailure = (error: unknown) => {
      report('failed')
      throw error
    }
    const response = await send(url, request).catch(reportFailure)
    if (response.records) report(response.status)
    return {
      ...response,
      async text() {
        const text = await response.text().catch(reportFailure)
        report(response.status)
        return text
      },
      async *pieces() {
        let outcome: number | string = 'failed'
        try {
          yield* response.pieces()
          outcome = response.status
        } finally {
          report(outcome)
        }
      },
    }
  }
}
