import { dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { formatDateTime, formatTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { TtError } from '../../lib/errors.js'
import { barChart } from '../../report/charts/bars.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { type ChartKind, chartKinds, type Dimension } from '../../report/dimensions.js'
import { isOfCalendar } from '../../report/keys.js'
import { billableParts, type Report } from '../../report/model.js'
import type { ChartOptions } from '../../ui/charts/options.js'
import type { EntryRow } from '../../ui/page/model.js'
import { roundingNote } from './footer.js'
import type { ReportQuery } from './report-query.js'

/** Reads `--chart [kind]`. Throws TtError `usage`. */
export function chartKind(given: string | true): ChartKind {
  if (given === true) return chartKinds[0]
  const kind = chartKinds.find((name) => name === given)
  if (kind) return kind
  throw new TtError('usage', `Unknown chart "${given}".`, {
    hint: `Valid charts: ${chartKinds.join(', ')}.`,
  })
}

/** Returns a chart as text for a terminal. */
export async function chartText(ctx: Context, query: ReportQuery, kind: ChartKind): Promise<string> {
  const [tally, series] = [
    query.tally(kind === 'shares' ? query.by : ['day', seriesDimension(query)]),
    query.tally([seriesDimension(query)]),
  ]
  for await (const entries of query.entries())
    for (const entry of entries) for (const one of [tally, series]) one.add(entry)
  const report = query.report(tally)
  const { canDrawUnicode } = await import('../../ui/charts/options.js')
  const options: ChartOptions = { ...(await ctx.renderOptions()), unicode: canDrawUnicode(ctx.host.env) }
  if (kind === 'heat') {
    const { heatText } = await import('../../ui/charts/heat.js')
    return heatText(heatMaps(report, query.weekStart), options)
  }
  if (kind === 'shares') {
    const { sharesText } = await import('../../ui/charts/shares.js')
    return sharesText(shares(report.groups), options)
  }
  const { barsText } = await import('../../ui/charts/bars.js')
  const chart = barsOf(query, report, query.report(series))
  return chart ? barsText(chart, options) : ''
}

/** Yields a self-contained HTML page in chunks. */
export async function* reportPageText(ctx: Context, query: ReportQuery): AsyncGenerator<string> {
  const [main, days, series] = [
    query.tally(),
    query.tally(['day', seriesDimension(query)]),
    query.tally([seriesDimension(query)]),
  ]
  const entries: Entry[] = []
  for await (const batch of query.entries()) {
    for (const entry of batch) {
      for (const tally of [main, days, series]) tally.add(entry)
      entries.push(entry)
    }
  }
  const [report, byDay, whole] = [query.report(main), query.report(days), query.report(series)]
  const { reportPage } = await import('../../ui/page/page.js')
  yield* reportPage({
    title: 'Time report',
    period: periodText(report),
    ownerNames: await accountNames(ctx),
    createdAt: formatDateTime(ctx.now),
    report,
    billableParts: report.isBilled ? billableParts(report) : undefined,
    roundingNote: roundingNote(report),
    bars: barsOf(query, byDay, whole),
    heatMaps: heatMaps(byDay, query.weekStart),
    shares: shares(whole.groups),
    sharesBy: seriesDimension(query),
    entries: entryRows(entries, query, ctx.now),
    entrySeconds: query.roundsEntries ? report.roundedSeconds : report.seconds,
    duration: formatDuration,
  })
}

/** Returns the dimension of the series in bars: the first of `--by` that is not a calendar unit. */
function seriesDimension({ by }: ReportQuery): Dimension {
  return by.find((word) => !isOfCalendar(word)) ?? 'project'
}

/** Returns the bars with labels from `whole`, and with targets unless the report is filtered. */
function barsOf({ weekStart, work, isFiltered }: ReportQuery, report: Report, whole: Report) {
  const target = isFiltered ? {} : { targetOf: work.targetOf }
  return barChart(report, { weekStart, ...target, groups: whole.groups })
}

function periodText({ since, until }: Report): string {
  if (since !== null && since === until) return since
  if (since === null) return until === null ? 'All time' : `Until ${until}`
  return until === null ? `From ${since}` : `${since} to ${until}`
}

/** Returns the names of the company and of the profile. */
async function accountNames(ctx: Context): Promise<string[]> {
  const company = await (await ctx.reference()).recent('company')
  const profile = ctx.profile.kind === 'stored' ? [ctx.profile.name] : []
  return [company.name, ...profile]
}

/** Yields the parts of the entries within the period, with rounded durations if entries are rounded. */
function* entryRows(entries: readonly Entry[], query: ReportQuery, now: Date): Generator<EntryRow> {
  const { from, to } = query.period
  const inOrder = [...entries].sort((a, b) => a.start.getTime() - b.start.getTime())
  const splitter = query.splitter()
  for (const entry of inOrder) {
    const [part] = splitter.partsOf(entry, undefined, false)
    if (!part) continue
    const { start, end, link, notes } = entry
    const begins = from && start < from ? from : start
    const last = end ?? now
    const ends = to && last > to ? to : last
    yield {
      date: dayOf(begins),
      from: formatTime(begins),
      to: end === null ? 'running' : formatTime(ends, begins),
      duration: formatDuration(part.roundedSeconds),
      client: link?.client?.name ?? null,
      project: link?.project?.name ?? null,
      task: link?.task?.name ?? null,
      notes: notes || null,
    }
  }
}
