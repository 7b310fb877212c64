import { checkLoopbackName } from './base-url.js'

/** One request as it goes out, redirects not followed. Header names are in lower case. */
export interface OutgoingRequest {
  method: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal | null
}

/** Headers, as far as they are read. */
export interface HeadersLike {
  get(name: string): string | null
}

/** What is used of a Response. */
interface ResponseLike {
  status: number
  headers: HeadersLike
  /** Undefined where it can only be read whole. */
  body?: AsyncIterable<string | Uint8Array> | null
  text(): Promise<string>
}

/** What is used of `fetch`: the service in this process answers no more than this. */
export type Fetch = (
  url: string,
  init: Omit<OutgoingRequest, 'body'> & { body?: string; redirect: 'manual' },
) => Promise<ResponseLike>

/** One answer as it comes in. Its body is read once, to the end: whole, or in pieces as they arrive. */
export interface StreamedResponse {
  status: number
  headers: HeadersLike
  text(): Promise<string>
  pieces(): AsyncIterable<string>
}

/** One answer as it came in, its body read to the end. */
export interface BufferedResponse {
  status: number
  headers: HeadersLike
  text: string
}

export type Transport = (url: string, request: OutgoingRequest) => Promise<StreamedResponse>

/** Returns what sends over the network. Without `insecureHttp`, `http:` requests reach this machine alone. */
export function networkTransport(insecureHttp = false): Transport {
  if (insecureHttp) return overNetwork
  return async (url, request) => {
    await checkLoopbackName(url)
    return overNetwork(url, request)
  }
}

/**
 * Sends over the network, with ofetch.
 *
 * It is loaded at the first request: loading it also loads Node's own fetch, which takes longer than all the rest
 * of a command that works in the local workspace.
 */
const overNetwork: Transport = async (url, { body, ...request }) => {
  const { ofetch } = await import('ofetch')
  compileParserOnce()
  const response = await ofetch.raw(url, {
    ...request,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    retry: false,
    // The body is read by the caller: ofetch would read all of it, and hand damaged JSON on as a string.
    responseType: 'stream',
    ignoreResponseError: true,
  })
  return arriving(response)
}

/**
 * Turns off the optimizing compiler for the WebAssembly module with which Node's fetch parses HTTP: it would take a third
 * of the time of a command. Node's fetch is loaded first, because V8 rejects Node's compiled code under another flag.
 */
function compileParserOnce() {
  void globalThis.Headers
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only')
}

/** Sends through a function with the shape of `fetch`, such as a service in this process. */
export function viaFetch(fetch: Fetch): Transport {
  return async (url, { body, ...request }) => {
    const response = await fetch(url, {
      ...request,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    })
    return arriving(response)
  }
}

/** Reads the body of an answer to its end. */
export async function bufferResponse({ status, headers, text }: StreamedResponse): Promise<BufferedResponse> {
  return { status, headers, text: await text() }
}

function arriving(response: ResponseLike): StreamedResponse {
  const { status, headers } = response
  return { status, headers, text: () => response.text(), pieces: () => piecesOf(response) }
}

async function* piecesOf(response: ResponseLike): AsyncGenerator<string> {
  if (response.body === undefined) return yield await response.text()
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? [])
    yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  yield decoder.decode()
}
