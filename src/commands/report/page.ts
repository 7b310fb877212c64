import { dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { formatDateTime, formatTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { billableParts } from '../../report/model.js'
import type { EntryRow } from '../../ui/page/model.js'
import { barsOf, seriesDimension } from './charts.js'
import { hasOverlappingGroups, overlapNote, roundingNote } from './footer.js'
import { type HeaderOptions, headerOf } from './page-header.js'
import type { ReportQuery } from './report-query.js'

/** Yields a self-contained HTML page in chunks. */
export async function* reportPageText(
  ctx: Context,
  query: ReportQuery,
  options: HeaderOptions,
): AsyncGenerator<string> {
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
    ...(await headerOf(ctx, options, { query, report, entries })),
    createdAt: formatDateTime(ctx.now),
    report,
    billableParts: report.isBilled ? billableParts(report) : undefined,
    roundingNote:
      [roundingNote(report), hasOverlappingGroups(report) && overlapNote].filter(Boolean).join(' ') ||
      undefined,
    bars: barsOf(query, byDay, whole),
    heatMaps: heatMaps(byDay, query.weekStart),
    shares: shares(whole.groups),
    sharesBy: seriesDimension(query),
    entries: entryRows(entries, query, ctx.now),
    entrySeconds: query.roundsEntries ? report.roundedSeconds : report.seconds,
    duration: formatDuration,
  })
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
