import { formatDuration } from '../../calendar/duration.js'
import { type Interval, overlap } from '../../calendar/interval.js'
import { formatTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import { durationOf, type Entry, labelOf } from '../../entries/entry.js'
import { escapeText } from '../../ui/text.js'

/** How many of them a question names. */
const maxNamed = 4

/** Tells of what the entry that was made overlaps, where nobody could be asked before. */
export type WarnOfOverlaps = (made: Entry) => Promise<void>

export interface PlannedInterval extends Interval {
  /** "Add it anyway?" */
  question: string
  /** The entry as it is before it is changed: what it overlaps already is nothing new. */
  before?: Entry
  /** An entry that another system knows by this id is the same one. */
  externalId?: string | undefined
}

/**
 * Prompts at a terminal when other entries take place at the same time, as far as this machine knows. Returns undefined
 * when the user decides against it, otherwise a function that prints the overlaps once the entry is made: with `--yes`
 * and without a terminal, nothing else has printed them.
 */
export async function confirmOverlaps(
  ctx: Context,
  planned: PlannedInterval,
): Promise<WarnOfOverlaps | undefined> {
  // Nothing would be printed, whatever there is.
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
  /** The entries that are to end when the timer starts. */
  trim: Entry[]
  /** Prints how the entries were trimmed, also under --json: each is changed beside the timer. */
  printTrimmed(trimmed: readonly Entry[]): void
  warnOfOverlaps: WarnOfOverlaps
}

/**
 * The same for a timer that starts at `at`: entries that began before and ended after that can be trimmed to end then,
 * and the first prompt offers that; `trim` and `--yes` answer it. A running timer is stopped instead.
 */
export async function confirmStart(
  ctx: Context,
  at: Date,
  { trim = false },
): Promise<ConfirmedStart | undefined> {
  const planned = { start: at, end: ctx.now, question: 'Start it anyway?' }
  const overlapping = await overlappingEntries(ctx, planned)
  // A timer cannot be stopped before it began: that is told instead.
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
    ctx.warn(
      `Ended ${labelOf(entry)} at ${formatTime(entry.end, ctx.now)} instead of ${formatTime(was, entry.end)}: ` +
        `${formatDuration(durationOf(entry, ctx.now))}, ${formatDuration(removed)} less.`,
    )
  }
}

/** Tells of what a changed entry overlaps that it did not before, but for entries that were told of already. */
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
  const prompts = await ctx.prompts()
  const time = formatTime(at)
  const removedMs = begun.reduce((sum, { end }) => sum + ((end ?? at).getTime() - at.getTime()), 0)
  const less = `${formatDuration(Math.floor(removedMs / 1000))} less`
  const ends = begun.length === 1 ? `ends after ${time}. End it` : `end after ${time}. End them`
  const named = begun.map((entry) => describe(entry, at)).join(', ')
  return (await prompts?.confirm(`${named} ${ends} at ${time} (${less})?`)) ?? false
}

async function confirmOthers(
  ctx: Context,
  others: Entry[],
  planned: Interval & { question: string },
): Promise<WarnOfOverlaps | undefined> {
  if (others.length === 0) return async () => {}
  if (!isPrompting(ctx)) return (made) => warnOfOverlaps(ctx, others, made)
  const lines = others.slice(0, maxNamed).map((entry) => {
    const shared = formatDuration(sharedSeconds(entry, planned, ctx.now))
    return `  ${describe(entry, planned.start)} by ${shared}`
  })
  if (others.length > maxNamed) lines.push(`  and ${others.length - maxNamed} more`)
  const facts = ['This overlaps', ...lines].join('\n')
  return (await ctx.confirm(planned.question, facts)) ? async () => {} : undefined
}

function isPrompting({ isInteractive, options }: Context): boolean {
  return isInteractive && !options.yes
}

/** With the command that leaves each moment to one entry. */
async function warnOfOverlaps(ctx: Context, others: Entry[], entry: Entry): Promise<void> {
  const [{ spanOf }, { overlaps }] = await Promise.all([
    import('../../report/health/finding.js'),
    import('../../report/health/overlaps.js'),
  ])
  const spans = [entry, ...others.filter(({ id }) => id !== entry.id)]
    .map((entry) => spanOf(entry, ctx.now))
    .sort((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)
  for (const { from, to, seconds, what, mend, alternative } of overlaps(spans)) {
    const times = `${formatTime(from, ctx.now)}–${formatTime(to, from)}`
    ctx.warn(`Overlap of ${formatDuration(seconds)}, ${times}: ${what}. To fix it: ${mend}`)
    if (alternative !== undefined) ctx.warn(`Or: ${alternative}`)
  }
}

/** What goes on at the same time. */
async function overlappingEntries(ctx: Context, period: Interval): Promise<Entry[]> {
  if (period.end <= period.start) return []
  const tracking = await ctx.entries()
  const entries = await tracking.knownOverlapping(period)
  return entries.filter((entry) => sharedSeconds(entry, period, ctx.now) > 0)
}

/** What is shorter than a second is of no use to anybody. */
function sharedSeconds(entry: Entry, period: Interval, now: Date): number {
  const shared = overlap(intervalOf(entry, now), period)
  return shared ? Math.floor((shared.end.getTime() - shared.start.getTime()) / 1000) : 0
}

function intervalOf({ start, end }: Entry, now: Date): Interval {
  return { start, end: end ?? now }
}

/** "Website / Design (10:00–11:00)" or "App / Review (since 11:00)", with the day where it is not that of `at`. */
function describe(entry: Entry, at: Date): string {
  const from = formatTime(entry.start, at)
  const times = entry.end ? `${from}–${formatTime(entry.end, entry.start)}` : `since ${from}`
  return `${escapeText(labelOf(entry))} (${times})`
}
