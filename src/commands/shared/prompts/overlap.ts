import type { Context } from '../../../cli/context.js'
import { fixStep } from '../../../cli/fix-command.js'
import { type Interval, overlap } from '../../../lib/calendar/interval.js'
import { formatTime } from '../../../lib/calendar/time.js'
import { minuteMs } from '../../../lib/time-units.js'
import { durationOf, type Entry, labelOf } from '../../../tracking/entries/entry.js'
import { escapeText } from '../../../ui/text.js'

/** Upper bound for the entries named in a prompt. */
const maxNamed = 4

/** Warns about the overlaps of the saved entry, when no prompt has shown them. */
export type WarnOfOverlaps = (saved: Entry) => Promise<void>

export interface PlannedInterval extends Interval {
  /** The task of the entry. */
  label: string
  /** "Add it anyway?" */
  question: string
  /** The entry before the change: existing overlaps are not reported again. */
  before?: Entry
  /** An entry with this external ID is the same entry. */
  externalId?: string | undefined
}

/**
 * Prompts on a terminal when known entries overlap the interval. Returns undefined when the user declines, otherwise a
 * function that warns about the overlaps after the entry is saved; it does nothing after a prompt.
 */
export async function confirmOverlaps(
  ctx: Context,
  planned: PlannedInterval,
): Promise<WarnOfOverlaps | undefined> {
  // With --quiet and without a prompt, nothing would be printed.
  if (ctx.options.quiet && !isPrompting(ctx)) return async () => {}
  const { before, externalId } = planned
  const isNew = (entry: Entry) => {
    if (before && entry.id === before.id) return false
    if (externalId !== undefined && entry.wire.external_id === externalId) return false
    const shared = sharedSeconds(entry, planned, ctx.now)
    return shared > 0 && !(before && shared <= sharedSeconds(entry, intervalOf(before, ctx.now), ctx.now))
  }
  const others = (await overlappingEntries(ctx, planned)).filter(isNew)
  return confirmOthers(ctx, others, planned)
}

export interface ConfirmedStart {
  /** The entries that will end when the timer starts. */
  trim: Entry[]
  /** Prints how the entries were trimmed, also under --json, whose output contains only the timer. */
  printTrimmed(trimmed: readonly Entry[]): void
  warnOfOverlaps: WarnOfOverlaps
}

/**
 * Prompts when finished entries overlap a timer that starts at `at`. Entries that began before `at` and ended after it
 * can be trimmed to end at `at`; `trim` and `--yes` confirm that. A running timer is not included: it is stopped.
 */
export async function confirmStart(
  ctx: Context,
  { label, at }: { label: string; at: Date },
  { trim = false },
): Promise<ConfirmedStart | undefined> {
  const planned = { label, start: at, end: ctx.now, isRunning: true, question: 'Start it anyway?' }
  const overlapping = await overlappingEntries(ctx, planned)
  // A timer cannot be stopped before it began: `start` reports that error.
  const isPossible = overlapping.every(({ start, end }) => end !== null || start <= at)
  const others = isPossible ? overlapping.filter(({ end }) => end !== null) : []
  const earlier = others.filter(({ start }) => start < at)
  const trimmable = earlier.length > 0 && (trim || (await shouldTrim(ctx, earlier, at))) ? earlier : []
  const remaining = others.filter((entry) => !trimmable.includes(entry))
  const warn = await confirmOthers(ctx, remaining, planned)
  return (
    warn && {
      trim: trimmable,
      warnOfOverlaps: warn,
      printTrimmed: (trimmed) => printTrimmed(ctx, trimmable, trimmed),
    }
  )
}

/** "Ended Website / Design at 10:15 instead of 10:30: 1h 15m, 15m less." */
function printTrimmed(ctx: Context, before: readonly Entry[], trimmed: readonly Entry[]) {
  for (const [index, entry] of trimmed.entries()) {
    const was = before[index]?.end
    if (!entry.end || !was) continue
    const removed = Math.floor((was.getTime() - entry.end.getTime()) / 1000)
    ctx.terminal.warn(
      `Ended ${labelOf(entry)} at ${formatTime(entry.end, ctx.now)} instead of ${formatTime(was, entry.end)}: ` +
        `${ctx.durations.format(durationOf(entry, ctx.now))}, ${ctx.durations.format(removed)} less.`,
    )
  }
}

/** Warns about new overlaps of a changed entry, except with entries whose overlaps were reported already. */
export async function warnOfNewOverlaps(
  ctx: Context,
  before: Entry,
  after: Entry,
  reportedIds: ReadonlySet<string>,
): Promise<void> {
  const [intervalBefore, intervalAfter] = [intervalOf(before, ctx.now), intervalOf(after, ctx.now)]
  const others = (await overlappingEntries(ctx, intervalAfter)).filter(
    (entry) =>
      entry.id !== after.id &&
      !reportedIds.has(String(entry.id)) &&
      sharedSeconds(entry, intervalAfter, ctx.now) > sharedSeconds(entry, intervalBefore, ctx.now),
  )
  if (others.length > 0) await warnOfOverlaps(ctx, others, after)
}

async function shouldTrim(ctx: Context, begun: Entry[], at: Date): Promise<boolean> {
  if (ctx.options.yes) return true
  const prompts = await ctx.terminal.prompts()
  const time = formatTime(at)
  const removedMs = begun.reduce((sum, { end }) => sum + ((end ?? at).getTime() - at.getTime()), 0)
  const reductionText = `${ctx.durations.format(Math.floor(removedMs / 1000))} less`
  const clause = begun.length === 1 ? `ends after ${time}. End it` : `end after ${time}. End them`
  const named = begun.map((entry) => describe(entry, at)).join(', ')
  return (await prompts?.confirm(`${named} ${clause} at ${time} (${reductionText})?`)) ?? false
}

async function confirmOthers(
  ctx: Context,
  others: Entry[],
  planned: Pick<PlannedInterval, 'label' | 'start' | 'end' | 'question'> & { isRunning?: boolean },
): Promise<WarnOfOverlaps | undefined> {
  if (others.length === 0) return async () => {}
  if (!isPrompting(ctx)) return (saved) => warnOfOverlaps(ctx, others, saved)
  const lines = others.slice(0, maxNamed).map((entry) => {
    const shared = ctx.durations.format(sharedSeconds(entry, planned, ctx.now))
    return `  ${describe(entry, planned.start)} by ${shared}`
  })
  if (others.length > maxNamed) lines.push(`  and ${others.length - maxNamed} more`)
  const end = planned.isRunning ? null : planned.end
  const times = timesText({ start: planned.start, end }, ctx.now)
  const facts = [`${escapeText(planned.label)} ${times} overlaps`, ...lines].join('\n')
  return (await ctx.terminal.confirm(planned.question, facts)) ? async () => {} : undefined
}

function isPrompting({ terminal, options }: Context): boolean {
  return terminal.isInteractive && !options.yes
}

/** Warns about overlaps, each with the changes that remove it. */
async function warnOfOverlaps(ctx: Context, others: Entry[], entry: Entry): Promise<void> {
  const [{ toCheckedEntry }, { overlaps }] = await Promise.all([
    import('../../../report/health/findings.js'),
    import('../../../report/health/overlaps.js'),
  ])
  const spans = [entry, ...others.filter(({ id }) => id !== entry.id)]
    .map((entry) => toCheckedEntry(entry, ctx.now))
    .sort((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)
  for (const finding of overlaps(spans)) {
    const { from, to, seconds, what } = finding
    const times = timesText({ start: from, end: to }, ctx.now)
    ctx.terminal.warn(
      `Overlap of ${ctx.durations.format(seconds)}, ${times}: ${what}.`,
      fixStep(finding, ctx.durations),
    )
  }
}

/** Returns the known entries that overlap the period. */
async function overlappingEntries(ctx: Context, period: Interval): Promise<Entry[]> {
  if (period.end <= period.start) return []
  const entries = await ctx.entries()
  const overlapping = await entries.knownOverlapping(period)
  return overlapping.filter((entry) => sharedSeconds(entry, period, ctx.now) > 0)
}

/** Returns the common time in whole seconds. */
function sharedSeconds(entry: Entry, period: Interval, now: Date): number {
  const shared = overlap(intervalOf(entry, now), period)
  return shared ? Math.floor((shared.end.getTime() - shared.start.getTime()) / 1000) : 0
}

function intervalOf({ start, end }: Entry, now: Date): Interval {
  return { start, end: end ?? now }
}

/** "Website / Design (10:00–11:00)" or "App / Review (since 11:00)", with the day where it is not that of `at`. */
function describe(entry: Entry, at: Date): string {
  return `${escapeText(labelOf(entry))} (${timesText(entry, at)})`
}

/** "10:00–11:00" or "since 11:00"; with seconds, "10:00:05–10:00:41", where both times are in one minute. */
function timesText({ start, end }: Pick<Entry, 'start' | 'end'>, at: Date): string {
  if (!end) return `since ${formatTime(start, at)}`
  const times = [formatTime(start, at), formatTime(end, start)]
  const isOneMinute = Math.floor(start.getTime() / minuteMs) === Math.floor(end.getTime() / minuteMs)
  return (
    isOneMinute ? times.map((time, index) => time + secondsText(index === 0 ? start : end)) : times
  ).join('–')
}

function secondsText(time: Date): string {
  return `:${String(time.getSeconds()).padStart(2, '0')}`
}
