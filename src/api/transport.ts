/** One request as it goes out, redirects not followed. Header names are in lower case. */
export interface Outgoing {
  method: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal | null
}

/** Headers, as far as they are read. */
export interface HeadersLike {
  get(name: string): string | null
}

/** What is used of `fetch`: the service in this process answers no more than this. */
export type Fetch = (
  url: string,
  init: Omit<Outgoing, 'body'> & { body?: string; redirect: 'manual' },
) => Promise<{ status: number; headers: HeadersLike; text(): Promise<string> }>

/** One answer as it came in, its body read to the end. */
export interface Arrived {
  status: number
  headers: HeadersLike
  text: string
}

export type Transport = (url: string, request: Outgoing) => Promise<Arrived>

/**
 * Sends over the network, with ofetch.
 *
 * It is loaded at the first request: loading it also loads Node's own fetch, which takes longer than all the rest
 * of a command that works in the local workspace.
 */
export const overNetwork: Transport = async (url, { body, ...request }) => {
  leaveParserAsItIs()
  const { ofetch } = await import('ofetch')
  const response = await ofetch.raw(url, {
    ...request,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    retry: false,
    // The JSON is parsed by the caller: ofetch hands damaged JSON on as a string.
    responseType: 'text',
    ignoreResponseError: true,
  })
  return { status: response.status, headers: response.headers, text: response._data ?? '' }
}

/**
 * Node's fetch parses HTTP by WebAssembly. V8 would spend more time on making that faster than all requests of a
 * command take: a third of the whole command.
 */
function leaveParserAsItIs() {
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only')
}

/** Sends through a function with the shape of `fetch`, such as a service in this process. */
export function through(fetch: Fetch): Transport {
  return async (url, { body, ...request }) => {
    const response = await fetch(url, {
      ...request,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}
