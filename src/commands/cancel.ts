import type { Context } from '../cli/context.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries/entry.js'
import { entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(ctx: Context): Promise<Entry | undefined> {
  const { entries, entryWriter } = await ctx.tracker()
  const entry = await entries.requireRunningForChange()
  const timerText = `${labelOf(entry)} (${ctx.durations.format(durationOf(entry, ctx.now))})`
  const subject = { cancel: entry.wire }
  if (!(await ctx.terminal.confirm(`Discard the running timer ${timerText}?`, undefined, { subject })))
    return undefined
  const [cancelled] = await entryWriter.remove([entry], 'Cancelled')
  ctx.terminal.message(`Cancelled ${timerText}.`)
  return cancelled
}
