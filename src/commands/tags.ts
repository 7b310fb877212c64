import type { Context } from '../cli/context.js'
import type { TagJson } from '../shapes/entries.js'
import type { View } from '../ui/view.js'
import { ReportQuery } from './report/report-query.js'
import type { CommandInput } from './shared/command.js'
import type { DayOptions, EntryFilterOptions } from './shared/options/parse-options.js'
import { lastSevenDays, type PeriodArgs, requestedPeriod } from './shared/options/period-options.js'
import { warnOfUnknownNames } from './shared/unknown-names.js'

/** A tag with the entries in the period whose notes have it. */
type TagRow = TagJson

export interface TagsOptions extends DayOptions, EntryFilterOptions {}

export const allowsUnreadableSettings = true
export const view = (ctx: Context): View<TagRow> => ({
  columns: [
    { key: 'tag', title: 'Tag', canShrink: true, text: ({ tag }) => `#${tag}` },
    { key: 'count', title: 'Entries', align: 'right' },
    {
      key: 'seconds',
      title: 'Duration',
      align: 'right',
      text: ({ seconds }) => ctx.durations.format(seconds),
    },
  ],
  json: (row) => ({ ...row }),
  empty: 'No tags.',
})

export async function run(ctx: Context, input: CommandInput<TagsOptions, PeriodArgs>): Promise<TagRow[]> {
  const { options } = input
  const days = requestedPeriod(input, ctx.now, await ctx.config.settings()) ?? lastSevenDays(ctx.now)
  const query = await ReportQuery.create(ctx, { ...options, by: 'tag' }, days)
  const tally = query.tally()
  for await (const entries of query.entries()) for (const entry of entries) tally.add(entry)
  const { count, groups } = query.report(tally)
  await warnOfUnknownNames(ctx, options, count)
  return groups.flatMap(({ key, count, seconds }) => (key === null ? [] : { tag: key, count, seconds }))
}
