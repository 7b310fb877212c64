import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { formatTime, parseTime } from '../lib/calendar/time.js'
import type { commands } from '../program/declarations/timer.js'
import type { PlannedLink } from '../tracking/catalog/catalog.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries/entry.js'
import { confirmEnd } from './shared/confirm-end.js'
import { findDirectoryTask } from './shared/directory-task.js'
import type { ConfirmedStart } from './shared/prompts/overlap.js'
import { entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(
  ctx: Context,
  { args: { task }, options }: Input<typeof commands.start>,
): Promise<Entry | undefined> {
  const at = options.at ?? parseTime('now', ctx.now)
  const { plan, notes } = await planTask(ctx, task, options)
  const confirmed: Partial<ConfirmedStart> | undefined =
    options.at === undefined && !options.trim
      ? {} // A timer that starts now cannot overlap finished entries.
      : await (await import('./shared/prompts/overlap.js')).confirmStart(
          ctx,
          { label: plan.label, at },
          options,
        )
  if (!confirmed) return undefined
  const ending = options.at === undefined ? await confirmEnd(ctx, at) : undefined
  await plan.confirm()
  const timerControl = await ctx.timerControl()
  const { entry, stopped, trimmed } = await timerControl.start(plan, at, notes, {
    trim: confirmed.trim,
    endOf: ending?.endOf,
  })
  confirmed.printTrimmed?.(trimmed)
  for (const before of stopped) {
    ctx.terminal.message(`Stopped ${labelOf(before)}: ${ctx.durations.format(durationOf(before, at))}.`)
  }
  ctx.terminal.message(`Started ${labelOf(entry)} at ${formatTime(entry.start, ctx.now)}.`)
  await ending?.warn(stopped)
  await confirmed.warnOfOverlaps?.(entry)
  return entry
}

/** Returns the task, which may not exist yet, and notes from the command line, else from the directory file, else from a prompt. */
async function planTask(
  ctx: Context,
  typed: string | undefined,
  options: Options<typeof commands.start>,
): Promise<{ plan: PlannedLink; notes: string | undefined }> {
  const catalog = await ctx.catalog()
  // Both are requested at the same time.
  if (!(await ctx.reference()).isRecent('catalog')) (await ctx.timerControl()).beginStart()
  const missing = [typed === undefined && 'task', options.notes === undefined && 'notes'] as const
  const {
    task,
    path,
    notes: directoryNotes,
  } = ctx.config.fromDirectory(...missing.filter((name) => name !== false)) ?? {}
  const notes = options.notes ?? directoryNotes ?? (await notesFromBranch(ctx))
  if (typed !== undefined) return { plan: await catalog.plan(typed, options), notes }
  if (task === undefined) {
    const plan = await catalog.pick()
    const { pickNotes } = await import('./shared/prompts/pick-entry.js')
    return { plan, notes: notes ?? (await pickNotes(ctx, plan)) }
  }
  return { plan: await findDirectoryTask(catalog, task, path, options), notes }
}

/** Returns the notes from the git branch name; undefined unless the setting `notes_from_branch` matches it. */
async function notesFromBranch(ctx: Context): Promise<string | undefined> {
  const set = await ctx.config.uncheckedSetting('notes_from_branch')
  const directory = ctx.host.cwd()
  if (typeof set !== 'string' || directory === undefined) return undefined
  const { branchPattern, branchNotes } = await import('../config/branch-notes.js')
  const pattern = branchPattern(set)
  return pattern && branchNotes(directory, pattern)
}
