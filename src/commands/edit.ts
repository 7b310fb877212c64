import { dayOf } from '../calendar/day.js'
import { formatDuration, parseDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Link } from '../catalog/links.js'
import type { Context } from '../cli/context.js'
import { durationOf, type Entry, labelOf } from '../entries/entry.js'
import { TtError } from '../lib/errors.js'
import { parseEndAfter, warnOfFutureTimes } from './adjust/times.js'
import { confirmOverlaps, type Print, warnOfNewOverlaps } from './shared/overlap.js'
import { pickEntry } from './shared/pick-entry.js'
import { entryView } from './views/entry.js'

export interface EditOptions {
  from?: string
  to?: string
  for?: string
  task?: string
  notes?: string
  create?: boolean
  pick?: boolean
}

export const quietOnTerminal = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx.now)

/** Answers the entry, or the entries where there are several; undefined where nothing was changed. */
export async function run(
  ctx: Context,
  references: string[],
  options: EditOptions,
): Promise<Entry | Entry[] | undefined> {
  const inEditor = given(options).length === 0 && ctx.isInteractive
  // Whether there is such an entry is what a user who gave nothing but an id wants to know first.
  const isIdAlone = given(options).length === 0 && references.length > 0 && !options.pick
  if (!inEditor && !isIdAlone) refuseImpossible(options)
  const entries = await entriesOf(ctx, references, options)
  if (!inEditor && isIdAlone) refuseImpossible(options)
  const [entry, ...others] = entries
  if (inEditor) return inTheEditor(ctx, entries)
  return others.length === 0 ? editOne(ctx, entry, options) : editAll(ctx, entries, options)
}

async function editOne(ctx: Context, entry: Entry, options: EditOptions): Promise<Entry | undefined> {
  const times = newTimes(entry, options, ctx.now)
  const tell = await timesAccepted(ctx, entry, times)
  if (!tell) return undefined
  const link = await linkOf(ctx, options)
  const edited = await (await ctx.entries()).edit(entry, { ...times, link, notes: options.notes })
  sayChanged(ctx, edited)
  warnOfFutureTimes(ctx, times)
  await tell(edited)
  return edited
}

/** What can be the same for all of them. */
async function editAll(ctx: Context, entries: Entry[], options: EditOptions): Promise<Entry[]> {
  if ([options.from, options.to, options.for].some((option) => option !== undefined)) {
    throw new TtError('usage', `--from, --to and --for are for one entry, not for ${entries.length}.`, {
      hint: 'Without options, several are edited in the editor.',
    })
  }
  const [link, { editAll: mendAll }] = await Promise.all([
    linkOf(ctx, options),
    import('../entries/rearrange.js'),
  ])
  const fields = {
    ...(link ? { task_link_id: link.id } : {}),
    ...(options.notes === undefined ? {} : { notes: options.notes }),
  }
  const edited = await mendAll(
    await ctx.entries(),
    entries.map((entry) => ({ entry, fields })),
  )
  for (const one of edited) sayChanged(ctx, one)
  return edited
}

async function inTheEditor(ctx: Context, entries: Entry[]): Promise<Entry | Entry[] | undefined> {
  const { editInEditor } = await import('./editor/session.js')
  const edited = await editInEditor(ctx, entries)
  for (const one of edited ?? []) sayChanged(ctx, one)
  const told = new Set<string>()
  for (const one of edited ?? []) {
    const before = entries.find(({ id }) => String(id) === String(one.id))
    if (before) warnOfFutureTimes(ctx, changedTimes(before, one))
    if (before) await warnOfNewOverlaps(ctx, before, one, told)
    told.add(String(one.id))
  }
  return entries.length === 1 ? edited?.[0] : edited
}

/** The times of an entry that an edit has changed. */
function changedTimes(before: Entry, { start, end }: Entry): { start?: Date; end?: Date | null } {
  return {
    ...(start.getTime() === before.start.getTime() ? {} : { start }),
    ...(end?.getTime() === before.end?.getTime() ? {} : { end }),
  }
}

function sayChanged(ctx: Context, edited: Entry) {
  const end = edited.end ? formatTime(edited.end, edited.start) : 'running'
  ctx.message(
    `Changed entry ${edited.id}: ${labelOf(edited)}, ${formatDuration(durationOf(edited, ctx.now))} ` +
      `(${formatTime(edited.start, ctx.now)}–${end}).`,
  )
}

async function linkOf(ctx: Context, options: EditOptions): Promise<Link | undefined> {
  return options.task === undefined ? undefined : (await ctx.catalog()).find(options.task, options)
}

async function timesAccepted(
  ctx: Context,
  before: Entry,
  times: { start?: Date; end?: Date },
): Promise<Print | undefined> {
  const { start = before.start, end = before.end ?? ctx.now } = times
  if (!times.start && !times.end) return async () => {}
  return confirmOverlaps(ctx, { start, end, before, question: 'Change it anyway?' })
}

function given({ from, to, for: duration, task, notes }: EditOptions): string[] {
  return [from, to, duration, task, notes].filter((option) => option !== undefined)
}

function refuseImpossible(options: EditOptions) {
  const { from, to, for: duration } = options
  if (given(options).length === 0) {
    throw new TtError('usage', 'Nothing to change was given.', {
      hint: 'Give --from, --to, --for, --task or --notes.',
    })
  }
  if (from !== undefined && to !== undefined && duration !== undefined) {
    throw new TtError('usage', '--from, --to and --for together say too much.', { hint: 'Give two of them.' })
  }
}

/** Without one that is given or picked, the running entry, or else the last finished one. */
async function entriesOf(
  ctx: Context,
  references: string[],
  { pick }: EditOptions,
): Promise<[Entry, ...Entry[]]> {
  if (pick) return [await pickEntry(ctx, 'Which entry is to be changed?', references[0])]
  const tracking = await ctx.entries()
  const found: Entry[] = []
  for (const reference of references) found.push(await tracking.find(reference))
  const [first, ...others] = new Map(found.map((entry) => [String(entry.id), entry])).values()
  return first ? [first, ...others] : [(await tracking.running()) ?? (await tracking.find('@1'))]
}

/** A time without a date is on the day of the entry; a length moves the end, unless the end is what was given. */
function newTimes(entry: Entry, options: EditOptions, now: Date): { start?: Date; end?: Date } {
  // A start that the service has rounded up may lie ahead: whoever changes no time need not mend it.
  if ([options.from, options.to, options.for].every((option) => option === undefined)) return {}
  const given = options.from === undefined ? undefined : parseTime(options.from, now, dayOf(entry.start))
  const lengthMs = options.for === undefined ? undefined : parseDuration(options.for) * 1000
  const from = given ?? entry.start
  const end =
    options.to !== undefined
      ? lengthMs === undefined
        ? parseEndAfter(options.to, from, now)
        : parseTime(options.to, now, dayOf(from))
      : lengthMs !== undefined
        ? new Date(from.getTime() + lengthMs)
        : undefined
  const start =
    end && options.to !== undefined && lengthMs !== undefined ? new Date(end.getTime() - lengthMs) : given
  refuseEndBeforeStart(start ?? entry.start, end ?? entry.end, now)
  return { ...(start ? { start } : {}), ...(end ? { end } : {}) }
}

function refuseEndBeforeStart(start: Date, end: Date | null, now: Date) {
  if ((end ?? now) >= start) return
  const what = end
    ? `The end, ${formatTime(end, now)}, would be`
    : 'A running entry would begin in the future,'
  throw new TtError('usage', `${what} before the start, ${formatTime(start, now)}.`, {
    hint: 'A time without a date is on the day of the entry. Name the date to mean another day.',
  })
}
