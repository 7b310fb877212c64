import { createApi } from '../../../api-client/endpoints.js'
import { createHttp } from '../../../api-client/http/client.js'
import type { HttpOptions } from '../../../api-client/http/http.js'
import { TimeoutError, withTimeout } from '../../../api-client/http/network-errors.js'
import type { Context } from '../../../cli/context.js'
import { addDays, dayOf, startOfDay } from '../../../lib/calendar/day.js'
import { TtError } from '../../../lib/errors.js'
import { openCapabilities } from '../../../outbox/cache/known-capabilities.js'
import { requestEarlier } from '../../../tracking/entries/reading/overlapping-records.js'
import { aroundStart } from '../../../tracking/entries/reading/read-sources.js'

/** Timeout for each request, in milliseconds. */
export const timeoutMs = 5000
/** Upper bound for all of them. */
const timeLimitMs = 10_000
const days = 7

/**
 * Requests the entries and expenses of the last days from the service of the profile of `ctx`. Its responses show what it
 * accepts (`Capabilities`), so that later commands need not try it: also what it did not accept before, except open entries,
 * which only a change can show. Ignores errors of the service: the next command that needs the records reports them.
 */
export async function learnCapabilities(
  ctx: Context,
  connection: Omit<HttpOptions, 'userAgent'>,
): Promise<void> {
  const { host, terminal, now } = ctx
  try {
    const capabilities = openCapabilities(await ctx.state(), host.now)
    for (const name of ['endFilter', 'compactLists'] as const)
      if (capabilities.get(name)) capabilities.set(name, undefined)
    const date = capabilities.get('expenseDate')?.value
    if (date) capabilities.set('expenseDate', { ...date, isFilterable: true })
    const label = () => `Waiting for ${new URL(connection.baseUrl).host} …`
    const withProgress = () => terminal.withProgress(label)
    const http = createHttp({ ...ctx.requestOptions(), ...connection, withProgress, timeoutMs })
    const api = createApi(http, { capabilities })
    const firstDay = addDays(dayOf(now), -days)
    const start = startOfDay(firstDay)
    const requests = [
      () => requestEarlier({ from: start, before: start, predicates: {} }, { api, capabilities }),
      async () => {
        for await (const _ of api.streamEntryTimes(aroundStart({ start })));
      },
      async () => {
        // The first list shows the name of the date field, the second one whether lists can be filtered by it.
        for (let lists = 0; lists < 2; lists++) await api.listExpenses({ spent_on_gteq: firstDay })
      },
    ]
    await withTimeout(timeLimitMs, () => Promise.allSettled(requests.map((request) => request())))
  } catch (error) {
    if (!(error instanceof TtError) && !(error instanceof TimeoutError)) throw error
  }
}
