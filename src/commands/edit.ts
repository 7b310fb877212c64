import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { dayOf } from '../lib/calendar/day.js'
import { TtError } from '../lib/errors.js'
import { listText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/entries.js'
import type { PlannedLink } from '../tracking/catalog/catalog.js'
import { changedEntryFields } from '../tracking/entries/changed-fields.js'
import { type Entry, labelOf } from '../tracking/entries/entry.js'
import { endAfter, lengthAndTimes, orderProblem, warnOfFutureTimes } from './adjust/times.js'
import { describeEntries, describePlannedLink, findEntries } from './shared/find-entries.js'
import { confirmOverlaps, type WarnOfOverlaps, warnOfNewOverlaps } from './shared/prompts/overlap.js'
import { pickEntry } from './shared/prompts/pick-entry.js'
import { entryView } from './views/entry.js'

type EditOptions = Options<typeof commands.edit>

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Returns the entry, or an array for several entries; undefined when nothing was changed. */
export async function run(
  ctx: Context,
  { args: { entry: references }, options }: Input<typeof commands.edit>,
): Promise<Entry | Entry[] | undefined> {
  const inEditor = givenOptions(options).length === 0 && ctx.terminal.isInteractive
  // With only an ID given, an unknown ID is a more useful error than missing options.
  const isIdAlone = givenOptions(options).length === 0 && references.length > 0 && !options.pick
  if (!inEditor && !isIdAlone) checkOptions(ctx, options)
  const entries = await selectEntries(ctx, references, options)
  if (!inEditor && isIdAlone) checkOptions(ctx, options)
  const [entry, ...others] = entries
  if (inEditor) return editInteractively(ctx, entries)
  return others.length === 0 ? editOne(ctx, entry, options) : editSeveral(ctx, entries, options)
}

async function editOne(ctx: Context, entry: Entry, options: EditOptions): Promise<Entry | undefined> {
  const times = newTimes(entry, options, ctx.now)
  const plan = await planLink(ctx, options)
  const warnOfOverlaps = await confirmTimes(ctx, entry, times, plan?.label)
  if (!warnOfOverlaps) return undefined
  await plan?.confirm()
  const edited = await (await ctx.entryWriter()).edit(entry, {
    ...times,
    task: plan,
    notes: newNotes(entry, options),
  })
  printChanged(ctx, entry, edited)
  warnOfFutureTimes(ctx, times)
  await warnOfOverlaps(edited)
  return edited
}

/** Sets the same task and notes on several entries. Returns undefined when the user declines. */
async function editSeveral(
  ctx: Context,
  entries: Entry[],
  options: EditOptions,
): Promise<Entry[] | undefined> {
  if ([options.from, options.to, options.for].some((option) => option !== undefined)) {
    const names = listText(['--from', '--to', '--for'].map(ctx.nameOption))
    throw new TtError('usage', `${names} apply to one entry, not to ${entries.length}.`, {
      hint: ctx.terminal.isInteractive
        ? 'Without options, the editor opens for several entries.'
        : 'Change the times of one entry at a time.',
    })
  }
  const plan = await planLink(ctx, options)
  const isConfirmed = ctx.terminal.confirmsSeveral
  if (isConfirmed && !(await confirmSeveral(ctx, entries, plan, options))) return undefined
  if (!isConfirmed) await plan?.confirm()
  const { editAll } = await import('../tracking/entries/rearrange.js')
  const fieldsOf = (entry: Entry) => {
    const notes = newNotes(entry, options)
    return notes === undefined ? {} : { notes }
  }
  const edited = await editAll(
    await ctx.entryWriter(),
    entries.map((entry) => ({ entry, fields: fieldsOf(entry), task: plan })),
  )
  for (const one of edited)
    printChanged(
      ctx,
      entries.find(({ id }) => String(id) === String(one.id)),
      one,
    )
  return edited
}

/** Returns whether the user confirms a new task and new notes of several entries. */
function confirmSeveral(
  ctx: Context,
  entries: readonly Entry[],
  task: PlannedLink | undefined,
  { notes, appendNotes }: EditOptions,
): Promise<boolean> {
  const facts = [
    describeEntries(ctx, entries),
    ...(task ? [`New task: ${describePlannedLink(task)}`] : []),
    ...(notes === undefined ? [] : [`New notes: ${JSON.stringify(notes)}`]),
    ...(appendNotes === undefined ? [] : [`Appended to the notes: ${JSON.stringify(appendNotes)}`]),
  ]
  const subject = {
    change: entries.map(({ wire }) => wire),
    task: task?.id ?? task?.label,
    notes: notes ?? appendNotes,
  }
  return ctx.terminal.confirm(`Change ${entries.length} entries?`, facts.join('\n'), { subject })
}

async function editInteractively(ctx: Context, entries: Entry[]): Promise<Entry | Entry[] | undefined> {
  const { editInEditor } = await import('./editor/edit-in-editor.js')
  const edited = await editInEditor(ctx, entries)
  for (const one of edited ?? []) printChanged(ctx, undefined, one)
  const reportedIds = new Set<string>()
  for (const one of edited ?? []) {
    const before = entries.find(({ id }) => String(id) === String(one.id))
    if (before) warnOfFutureTimes(ctx, changedTimes(before, one))
    if (before) await warnOfNewOverlaps(ctx, before, one, reportedIds)
    reportedIds.add(String(one.id))
  }
  return entries.length === 1 ? edited?.[0] : edited
}

/** Returns only the changed times. */
function changedTimes(before: Entry, { start, end }: Entry): { start?: Date; end?: Date | null } {
  return {
    ...(start.getTime() === before.start.getTime() ? {} : { start }),
    ...(end?.getTime() === before.end?.getTime() ? {} : { end }),
  }
}

function printChanged(ctx: Context, before: Entry | undefined, edited: Entry) {
  const text = `${labelOf(edited)}, ${lengthAndTimes(ctx, edited)}`
  const isSame = before !== undefined && hasSameValues(before, edited)
  const { start, end, notes, link } = edited
  const changes = { start, notes, ...(end ? { end } : {}), ...(link ? { link } : {}) }
  ctx.terminal.message(
    isSame
      ? `Entry ${edited.id} has these values already: ${text}.`
      : `Changed entry ${edited.id}: ${text}${before ? changedEntryFields(before, changes) : ''}.`,
  )
}

function hasSameValues(before: Entry, after: Entry): boolean {
  const { start, end } = changedTimes(before, after)
  const isSameTask = String(before.wire.task_link_id) === String(after.wire.task_link_id)
  return start === undefined && end === undefined && isSameTask && before.notes === after.notes
}

async function planLink(ctx: Context, options: EditOptions): Promise<PlannedLink | undefined> {
  return options.task === undefined ? undefined : (await ctx.catalog()).plan(options.task, options)
}

async function confirmTimes(
  ctx: Context,
  before: Entry,
  times: { start?: Date; end?: Date },
  label = labelOf(before),
): Promise<WarnOfOverlaps | undefined> {
  const { start = before.start, end = before.end ?? ctx.now } = times
  if (!times.start && !times.end) return async () => {}
  return confirmOverlaps(ctx, { label, start, end, before, question: 'Change it anyway?' })
}

/** Returns the notes of an entry after the edit; undefined if they do not change. */
function newNotes(entry: Entry, { notes, appendNotes }: EditOptions): string | undefined {
  if (appendNotes === undefined) return notes
  return [entry.notes, appendNotes].filter(Boolean).join('; ')
}

function givenOptions({ from, to, for: duration, task, notes, appendNotes }: EditOptions): unknown[] {
  return [from, to, duration, task, notes, appendNotes].filter((option) => option !== undefined)
}

function checkOptions({ nameOption }: Context, options: EditOptions) {
  const { from, to, for: duration } = options
  if (givenOptions(options).length === 0) {
    throw new TtError('usage', 'No changes were specified.', {
      hint: `Use at least one of ${listText(['--from', '--to', '--for', '--task', '--notes', '--append-notes'].map(nameOption))}.`,
    })
  }
  if (from !== undefined && to !== undefined && duration !== undefined) {
    const names = listText(['--from', '--to', '--for'].map(nameOption))
    throw new TtError('usage', `${names} cannot be used together.`, {
      hint: 'Use at most two of them.',
    })
  }
}

/** Returns the entries given or picked; without any, the running entry, or else the last finished one. */
async function selectEntries(
  ctx: Context,
  references: string[],
  { pick }: EditOptions,
): Promise<[Entry, ...Entry[]]> {
  if (pick) return [await pickEntry(ctx, 'Which entry should be changed?')]
  const entries = await ctx.entries()
  const [first, ...others] = await findEntries(entries, references)
  return first ? [first, ...others] : [(await entries.running()) ?? (await entries.find('@1'))]
}

/** Computes the new times. A time without a date is on the day of the entry; `--for` moves the end unless `--to` is given. */
function newTimes(entry: Entry, options: EditOptions, now: Date): { start?: Date; end?: Date } {
  // The service may round a start up into the future: an edit of other fields must still work.
  if ([options.from, options.to, options.for].every((option) => option === undefined)) return {}
  const typedStart = options.from?.(dayOf(entry.start))
  const lengthMs = options.for === undefined ? undefined : options.for * 1000
  const from = typedStart ?? entry.start
  const end =
    options.to !== undefined
      ? lengthMs === undefined
        ? endAfter(options.to, from)
        : options.to(dayOf(from))
      : lengthMs !== undefined
        ? new Date(from.getTime() + lengthMs)
        : undefined
  const start =
    end && options.to !== undefined && lengthMs !== undefined
      ? new Date(end.getTime() - lengthMs)
      : typedStart
  checkOrder(start ?? entry.start, end ?? entry.end, now)
  return { ...(start ? { start } : {}), ...(end ? { end } : {}) }
}

function checkOrder(start: Date, end: Date | null, now: Date) {
  const problem = orderProblem(start, end, now)
  if (problem === undefined) return
  throw new TtError('usage', problem, {
    hint: 'A time without a date is on the day of the entry. For another day, write the date as well.',
  })
}
