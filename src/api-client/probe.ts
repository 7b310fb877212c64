import { TtError } from '../lib/errors.js'
import { monotonicMs } from '../lib/monotonic-clock.js'
import { createApi } from './endpoints.js'
import { createHttp } from './http/client.js'
import type { HttpOptions } from './http/http.js'
import type { Fetch } from './http/transport.js'
import type { Company } from './types.js'

/** What one request shows about a service. */
export interface ProbeResult {
  /** Undefined without a response. */
  response: { status: number; tookMs: number } | undefined
  /** How far the clock of this machine is ahead of that of the service, in milliseconds; undefined if unknown. */
  clockOffsetMs: number | undefined
  company: Company | undefined
  /** The error if `company` is undefined. */
  failure: TtError | undefined
}

/**
 * Requests the company once, over the network, and measures the response. Compares the clocks at the middle of the
 * request; adds half a second because `Date` (RFC 9110 section 6.6.1) is in whole seconds.
 *
 * Throws TtError `usage` for an invalid base URL.
 */
export async function probeService(options: HttpOptions, now: () => Date): Promise<ProbeResult> {
  const measured: Pick<ProbeResult, 'response' | 'clockOffsetMs'> = {
    response: undefined,
    clockOffsetMs: undefined,
  }
  const measuringFetch: Fetch = async (url, init) => {
    const [sentAt, start] = [now().getTime(), monotonicMs()]
    const response = await fetch(url, init)
    const tookMs = monotonicMs() - start
    const serviceTime = Date.parse(response.headers.get('date') ?? '')
    measured.response = { status: response.status, tookMs: Math.round(tookMs) }
    measured.clockOffsetMs = Number.isNaN(serviceTime)
      ? undefined
      : Math.round(sentAt + tookMs / 2 - (serviceTime + 500))
    return response
  }
  new Headers() // Loads Node's fetch in advance, so that the measured time is only that of the service.
  const api = createApi(createHttp({ ...options, fetch: measuringFetch }))
  try {
    return { company: await api.getCompany(), failure: undefined, ...measured }
  } catch (failure) {
    if (!(failure instanceof TtError)) throw failure
    return { company: undefined, failure, ...measured }
  }
}
