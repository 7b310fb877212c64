import { TtError } from '../lib/errors.js'
import { createApi } from './endpoints.js'
import { createHttp, type HttpOptions } from './http/http.js'
import type { Fetch } from './http/transport.js'
import type { Company } from './types.js'

/** What one request says of a service. */
export interface ProbeResult {
  /** undefined when nothing has answered. */
  response: { status: number; tookMs: number } | undefined
  /** By how much this machine's clock is ahead of the service's, in milliseconds; undefined where it does not tell. */
  clockOffsetMs: number | undefined
  company: Company | undefined
  /** Why there is no company. */
  failure: TtError | undefined
}

/**
 * Asks a service for the company once, over the network, and looks at how it answers. Its clock is compared with the
 * middle of the request; its `Date` (RFC 9110 section 6.6.1) is in whole seconds, so that half of one is added.
 *
 * Throws TtError `usage` for a base URL that cannot be used.
 */
export async function probeService(options: HttpOptions, now: () => Date): Promise<ProbeResult> {
  const seen: Pick<ProbeResult, 'response' | 'clockOffsetMs'> = {
    response: undefined,
    clockOffsetMs: undefined,
  }
  const watched: Fetch = async (url, init) => {
    const [at, begun] = [now().getTime(), performance.now()]
    const response = await fetch(url, init)
    const tookMs = performance.now() - begun
    const theirs = Date.parse(response.headers.get('date') ?? '')
    seen.response = { status: response.status, tookMs: Math.round(tookMs) }
    seen.clockOffsetMs = Number.isNaN(theirs) ? undefined : Math.round(at + tookMs / 2 - (theirs + 500))
    return response
  }
  new Headers() // Loads Node's fetch: that is no time of the service.
  const api = createApi(createHttp({ ...options, fetch: watched }))
  try {
    return { company: await api.getCompany(), failure: undefined, ...seen }
  } catch (failure) {
    if (!(failure instanceof TtError)) throw failure
    return { company: undefined, failure, ...seen }
  }
}
