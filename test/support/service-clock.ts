import type { ProxiedResponse } from './proxy.js'

/**
 * The clock of a service whose user lives in another time: the responses have the times of the user, plus a constant
 * difference between the two clocks.
 */
export class ServiceClock {
  readonly #now: () => number
  readonly #differenceMs: number
  /** The time of the user, in epoch milliseconds, by the time that the service has written. */
  readonly #known = new Map<string, number>()

  /** @param now returns the clock of the user in epoch milliseconds */
  constructor(now: () => number, differenceMs: number) {
    this.#now = now
    this.#differenceMs = differenceMs
  }

  /**
   * Executes a request at this time of the user, and returns its response with the times of the user in `created_at`,
   * `updated_at` and the header `date`.
   */
  async execute(request: () => Promise<ProxiedResponse>, userMs = this.#now()): Promise<ProxiedResponse> {
    const startMs = Date.now()
    const { headers, body, ...response } = await request()
    for (const [, , time = ''] of body.matchAll(serviceTimes))
      if (Date.parse(time) >= startMs - cachedMs && !this.#known.has(time)) this.#known.set(time, userMs)
    const { 'content-length': _length, date: _date, ...rest } = headers
    const toText = (_: string, name: string, time: string) => `"${name}":"${this.#toUser(time)}"`
    return this.date({ ...response, headers: rest, body: body.replaceAll(serviceTimes, toText) })
  }

  /** Returns the response of a proxy with the time of the service in the header `date`. */
  date(response: ProxiedResponse): ProxiedResponse {
    const date = new Date(this.#now() + this.#differenceMs).toUTCString()
    return { ...response, headers: { date, ...response.headers } }
  }

  /** Returns the time at which a request was executed; long ago for one that was not executed here. */
  #toUser(time: string): string {
    const userMs = this.#known.get(time) ?? Date.parse(time) - longAgoMs
    return new Date(userMs + this.#differenceMs).toISOString()
  }
}

const serviceTimes = /"(created_at|updated_at)":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g
/** The service may write the time of the beginning of its turn. */
const cachedMs = 100
const longAgoMs = 10 * 365 * 24 * 3_600_000
