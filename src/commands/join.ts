import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { type Interval, overlap } from '../lib/calendar/interval.js'
import { formatTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/entries.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries/entry.js'
import { type JoinedLink, join } from '../tracking/entries/rearrange.js'
import { lengthAndTimes } from './adjust/times.js'
import { describeEntries, describePlannedLink, findEntries } from './shared/find-entries.js'
import { type EntryDisplay, entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Returns the merged entry; undefined when the user declines. */
export async function run(
  ctx: Context,
  { args: { entry: references }, options }: Input<typeof commands.join>,
): Promise<Entry | undefined> {
  const entries = requireSeveral(await findEntries(await ctx.entries(), references))
  const [first, ...others] = entries
  const task = await planTask(ctx, entries, options)
  const end = others.some((entry) => entry.end === null) || first.end === null ? null : latestEnd(entries)
  const notes = options.notes ?? joinNotes(entries)
  const facts = [
    ...(ctx.terminal.confirmsSeveral
      ? [
          describeEntries(ctx, entries),
          `Merged: ${describePlannedLink(task)}, notes ${JSON.stringify(notes)}`,
        ]
      : []),
    ...describeGaps(ctx, entries),
    ...describeLostIds(others),
    ...describeInvoices(ctx, entries),
    ...(await describeOverlaps(ctx, entries, end ?? ctx.now)),
  ]
  const question = `Join ${entries.length} entries of ${labelOf(first)}?`
  const subject = { join: entries.map(({ wire }) => wire), notes, task: task.id ?? task.label }
  if (facts.length > 0 && !(await ctx.terminal.confirm(question, facts.join('\n'), { subject })))
    return undefined
  if (!ctx.terminal.confirmsSeveral) await task.confirm()
  const joined = await join(await ctx.entryWriter(), entries, { end, notes, task }, ctx.now)
  ctx.terminal.message(
    `Joined ${entries.length} entries into entry ${joined.id}: ${labelOf(joined)}, ${lengthAndTimes(ctx, joined)}.`,
  )
  return joined
}

/** Returns the entries sorted by their starts. Throws TtError `usage` for fewer than two. */
function requireSeveral(entries: readonly Entry[]): [Entry, Entry, ...Entry[]] {
  const [first, second, ...rest] = [...entries].sort((a, b) => a.start.getTime() - b.start.getTime())
  if (first && second) return [first, second, ...rest]
  throw new TtError('usage', 'At least two entries are required.', {
    nextStep: { action: 'list', records: 'entries', example: 'tt join 12 13' },
  })
}

/** Returns the task link of the merged entry, which is created only after the confirmation. Throws TtError `usage` if the entries belong to several. */
async function planTask(
  ctx: Context,
  entries: readonly [Entry, ...Entry[]],
  options: Options<typeof commands.join>,
): Promise<JoinedLink> {
  if (options.task !== undefined) return (await ctx.catalog()).plan(options.task, options)
  const byLink = new Map(entries.map((entry) => [String(entry.wire.task_link_id), entry]))
  if (byLink.size === 1) {
    const id = entries[0].wire.task_link_id
    return { id, label: labelOf(entries[0]), confirm: async () => {}, resolve: async () => ({ id }) }
  }
  const labels = [...byLink.values()].map(labelOf).join('; ')
  throw new TtError('usage', `These entries belong to several tasks: ${labels}.`, {
    hint: `Use ${ctx.nameOption('--task')} to choose the task of the merged entry.`,
  })
}

function latestEnd(entries: readonly Entry[]): Date {
  return new Date(Math.max(...entries.map(({ end }) => end?.getTime() ?? 0)))
}

/** Joins the distinct notes in order. */
function joinNotes(entries: readonly Entry[]): string {
  const notes = entries.map((entry) => entry.notes.trim()).filter(Boolean)
  return [...new Set(notes)].join('; ')
}

/** Describes the untracked time that the merged entry includes, and the time that was tracked twice. */
function describeGaps({ now, durations }: EntryDisplay, entries: readonly Entry[]): string[] {
  const facts: string[] = []
  let reachedMs: number | undefined
  for (const { start, end } of entries) {
    const startMs = start.getTime()
    const endMs = (end ?? now).getTime()
    const awayMs = reachedMs === undefined ? 0 : startMs - reachedMs
    const sharedMs = reachedMs === undefined ? 0 : Math.min(reachedMs, endMs) - startMs
    const reached = new Date(reachedMs ?? startMs)
    if (awayMs >= 1000)
      facts.push(
        `Nothing was tracked from ${formatTime(reached, now)} to ${formatTime(start, reached)} ` +
          `(${durations.format(Math.floor(awayMs / 1000))}): the merged entry includes it.`,
      )
    else if (sharedMs >= 1000)
      facts.push(
        `${durations.format(Math.floor(sharedMs / 1000))} from ${formatTime(start, now)} on are tracked twice: ` +
          'they count once.',
      )
    reachedMs = Math.max(reachedMs ?? endMs, endMs)
  }
  return facts
}

function describeLostIds(others: readonly Entry[]): string[] {
  return others.flatMap(({ id, wire }) =>
    wire.external_id ? [`The external ID ${wire.external_id} is deleted with entry ${id}.`] : [],
  )
}

/** Describes time on no invoice that an invoiced entry would include, and billed time that would be billed again. */
function describeInvoices(ctx: Context, [first, ...others]: readonly [Entry, ...Entry[]]): string[] {
  const timeOf = (entry: Entry) => `${ctx.durations.format(durationOf(entry, ctx.now))} of entry ${entry.id}`
  if (first.invoice === null)
    return others.flatMap((entry) =>
      entry.invoice === null
        ? []
        : [
            `${timeOf(entry)} is on invoice ${entry.invoice} and would be part of entry ${first.id}, which is on none.`,
          ],
    )
  return others.flatMap((entry) =>
    entry.invoice === null
      ? [
          `${timeOf(entry)} is on no invoice and would be part of entry ${first.id}, which is on invoice ${first.invoice}.`,
        ]
      : [],
  )
}

/** Describes known entries that the merged entry overlaps but none of the originals did. */
async function describeOverlaps(
  ctx: Context,
  entries: readonly [Entry, ...Entry[]],
  end: Date,
): Promise<string[]> {
  const [{ start }] = entries
  const within = (one: Interval, entry: Entry) =>
    overlap(one, { start: entry.start, end: entry.end ?? ctx.now })
  const isNew = (entry: Entry) =>
    within({ start, end }, entry) !== undefined &&
    entries.every(
      (one) => one.id !== entry.id && !within({ start: one.start, end: one.end ?? ctx.now }, entry),
    )
  const overlapping = await (await ctx.entries()).knownOverlapping({ start, end })
  return overlapping
    .filter(isNew)
    .map((entry) => `It overlaps entry ${entry.id}, ${labelOf(entry)}, ${lengthAndTimes(ctx, entry)}.`)
}
