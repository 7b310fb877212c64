import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { ExportedEntry } from '../../import-export/export/export-format.js'
import { timeOf } from '../../lib/calendar/interval.js'
import type { commands } from '../../program/declarations/export.js'
import { entryFilter } from '../../program/options/entry-filters.js'
import { billableTest } from '../../tracking/entries/billable.js'
import type { View } from '../../ui/view.js'
import { entryBilling } from '../report/entry-billing.js'
import { calendarIds } from '../shared/calendar-ids.js'
import { cacheTimeZone, requestedPeriod } from '../shared/options/period-options.js'
import { eventOf } from '../views/entry-event.js'
import { inPeriod, type LoggedEntry, loggedEntryView } from '../views/logged-entry.js'

type Row = LoggedEntry & ExportedEntry

/** Returns the entries that the options select, in batches and in the order of their starts; without a period, all. */
export async function exportedEntries(
  ctx: Context,
  input: Input<typeof commands.export>,
): Promise<AsyncGenerator<Row[]>> {
  const { options } = input
  const settings = await ctx.config.settings()
  const { where = {} } = options
  const [matches, isBillable] = [entryFilter(options, settings), billableTest(settings)]
  await cacheTimeZone(ctx, where)
  const range = timeOf(requestedPeriod(input, ctx.now, settings) ?? {})
  const tracking = await ctx.entries()
  async function* rows(): AsyncGenerator<Row[]> {
    const batches = ctx.terminal.countItems(
      tracking.orderedBatches(range, where),
      (count) => `${count} entries`,
    )
    const billingOf = await entryBilling(ctx, range)
    for await (const batch of batches) {
      const matching = batch.filter(matches)
      const uidOf = await calendarIds(ctx, matching)
      yield matching.map((entry) => ({
        ...inPeriod(entry, range, ctx.now),
        billing: billingOf(entry),
        uid: uidOf(entry),
        isBillable: isBillable(entry.link),
      }))
    }
  }
  return rows()
}

/** Returns the view of `tt log`, with calendar events. */
export function exportView(ctx: Context): View<Row> {
  return { ...loggedEntryView(ctx, []), event: (entry: Row) => eventOf(entry, entry.uid, ctx.now) }
}
