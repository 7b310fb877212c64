import { createApi } from '../../../api-client/endpoints.js'
import { createHttp } from '../../../api-client/http/client.js'
import type { HttpOptions } from '../../../api-client/http/http.js'
import type { Context } from '../../../cli/context.js'
import { addDays, dayOf, startOfDay } from '../../../lib/calendar/day.js'
import { TtError } from '../../../lib/errors.js'
import { Cache } from '../../../outbox/cache/cache.js'
import { openCapabilities } from '../../../outbox/cache/known-capabilities.js'
import { overlappingRecords } from '../../../tracking/entries/reading/overlapping-records.js'

/** Timeout for each request, in milliseconds. */
export const timeoutMs = 5000
const days = 7

/**
 * Reads the entries and expenses of the last days from the service of the profile of `ctx`. Its responses show what it
 * accepts (`Capabilities`), also what it did not accept before, so that no later command has to try it. The records are
 * cached. Ignores errors: the next command that needs the records reports them.
 */
export async function learnCapabilities(
  ctx: Context,
  connection: Omit<HttpOptions, 'userAgent'>,
): Promise<void> {
  try {
    const state = await ctx.state()
    const capabilities = openCapabilities(state, ctx.host.now)
    for (const name of ['endFilter', 'compactLists'] as const)
      if (capabilities.get(name)) capabilities.set(name, undefined)
    const api = createApi(createHttp({ ...ctx.requestOptions(), ...connection, timeoutMs }), { capabilities })
    const firstDay = addDays(dayOf(ctx.now), -days)
    const start = startOfDay(firstDay)
    const query = { range: { start }, openSince: start, predicates: {}, timesSuffice: true }
    const sources = { api, capabilities, cache: new Cache(state.database), now: ctx.now }
    const readEntries = async () => {
      for await (const _ of overlappingRecords(query, sources));
    }
    const results = await Promise.allSettled([readEntries(), api.listExpenses({ spent_on_gteq: firstDay })])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
}
