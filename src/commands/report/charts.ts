import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { TtError } from '../../lib/errors.js'
import type { EntryFilterOptions } from '../../program/options/entry-filters.js'
import type { ChartKind, Dimension } from '../../records/report-names.js'
import { type BarOptions, barChart } from '../../report/charts/bars.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { isOfCalendar } from '../../report/keys.js'
import type { Report } from '../../report/report-model.js'
import type { ChartOptions } from '../../ui/charts/layout.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import type { ReportContext, ReportQuery } from './report-query.js'

/** Returns a chart as text for a terminal. */
export async function chartText(
  ctx: ReportContext,
  query: ReportQuery,
  kind: ChartKind,
  filters: EntryFilterOptions,
): Promise<string> {
  if (query.by.includes('tag')) {
    throw new TtError('usage', 'Tags overlap and cannot be drawn as parts of a chart.', {
      hint: 'Use --tag to draw the time of one tag.',
    })
  }
  const [tally, series] = [
    query.tally(kind === 'shares' ? query.by : ['day', seriesDimension(query)]),
    query.tally([seriesDimension(query)]),
  ]
  for await (const entries of query.entries())
    for (const entry of entries) for (const one of [tally, series]) one.add(entry)
  const report = query.report(tally)
  const whole = query.report(series)
  await checkFilterNames(ctx, filters, report.count)
  const { display } = query.durations([report, whole])
  const { canDrawUnicode } = await import('../../ui/charts/layout.js')
  const options: ChartOptions = {
    ...(await ctx.terminal.renderOptions()),
    unicode: canDrawUnicode(ctx.host.env),
  }
  if (kind === 'heat') {
    const { heatText } = await import('../../ui/charts/heat.js')
    return heatText(heatMaps(report, query.weekStart, display), options)
  }
  if (kind === 'shares') {
    const { sharesText } = await import('../../ui/charts/shares.js')
    return sharesText(shares(report.groups, display), options)
  }
  const { barsText } = await import('../../ui/charts/bars.js')
  const chart = barsOf(query, report, whole, display)
  return chart ? barsText(chart, options) : ''
}

/** Returns the dimension of the series in bars: the first of `--by` that is not a calendar unit. Tags overlap. */
export function seriesDimension({ by }: ReportQuery): Dimension {
  return by.find((word) => !isOfCalendar(word) && word !== 'tag') ?? 'project'
}

/** Returns the bars with labels from `whole` and names from `nameOf`, and with targets unless the report is filtered. */
export function barsOf(
  { weekStart, work, isFiltered }: ReportQuery,
  report: Report,
  whole: Report,
  display: DurationDisplay,
  nameOf?: BarOptions['nameOf'],
) {
  const target = isFiltered ? {} : { targetOf: work.targetOf }
  return barChart(report, { weekStart, ...target, groups: whole.groups, display, ...(nameOf && { nameOf }) })
}
