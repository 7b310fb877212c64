import { formatDuration } from '../../calendar/duration.js'
import { recordCommand } from '../../cli/record-command.js'
import type { Settings } from '../../config/settings/settings.js'
import type { Entry } from '../../entries/entry.js'
import type { WorkCalendar } from '../work-calendar.js'
import {
  type Finding,
  type FindingKind,
  type FindingPeriod,
  findingKinds,
  type Span,
  spanOf,
  touches,
} from './finding.js'
import { gaps } from './gaps.js'
import { overlaps } from './overlaps.js'
import { quoteWord } from './shell-quoting.js'

export interface HealthOptions {
  kinds: readonly FindingKind[]
  /** What is looked at: all there is where it has no bounds. */
  period: FindingPeriod
  settings: Pick<Settings, 'workingHours' | 'longestEntrySeconds'>
  work: Pick<WorkCalendar, 'isWorkingDay'>
  now: Date
}

/**
 * What is missing, doubtful or counted twice among the entries, in the order of time. The entries come in any order,
 * with those that begin before the period and reach into it. What only reaches into the period is told whole, but a
 * gap ends where the period does.
 */
export async function findings(
  batches: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  options: HealthOptions,
): Promise<Finding[]> {
  const { kinds, period, settings, work, now } = options
  const spans: Span[] = []
  for await (const entries of batches) for (const entry of entries) spans.push(spanOf(entry, now))
  spans.sort((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)
  const finders: Record<FindingKind, () => Iterable<Finding>> = {
    gap: () => gaps(spans, period, settings, work, now),
    overlap: () => overlaps(spans),
    long: () => longEntries(spans, settings.longestEntrySeconds),
    no_notes: () => entriesWithoutNotes(spans),
  }
  return findingKinds
    .filter((kind) => kinds.includes(kind))
    .flatMap((kind) => [...finders[kind]()])
    .filter(({ from, to }) => touches({ fromMs: from.getTime(), toMs: to.getTime() }, period))
    .sort((a, b) => a.from.getTime() - b.from.getTime())
}

function* longEntries(spans: readonly Span[], mostSeconds: number): Generator<Finding> {
  const most = formatDuration(mostSeconds)
  for (const span of spans) {
    if (span.toMs - span.fromMs <= mostSeconds * 1000) continue
    const what = span.running ? `has been running for more than ${most}` : `took more than ${most}`
    yield entryFinding(span, 'long', what, '--to TIME')
  }
}

function* entriesWithoutNotes(spans: readonly Span[]): Generator<Finding> {
  for (const span of spans) {
    if (span.notes.trim() === '') yield entryFinding(span, 'no_notes', 'has no notes', '--notes TEXT')
  }
}

function entryFinding(span: Span, kind: FindingKind, what: string, change: string): Finding {
  const { id, fromMs, toMs, label } = span
  return {
    kind,
    from: new Date(fromMs),
    to: new Date(toMs),
    seconds: Math.floor((toMs - fromMs) / 1000),
    entries: [id],
    what: `${label} ${what}`,
    mend: recordCommand('tt edit', id, ` ${change}`, quoteWord),
  }
}
