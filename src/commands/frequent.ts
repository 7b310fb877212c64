import type { Context } from '../cli/context.js'
import { durationSeconds, timeOf } from '../lib/calendar/interval.js'
import { parseDate } from '../lib/calendar/period.js'
import { toLink } from '../tracking/catalog/links.js'
import { inPeriod } from './views/logged-entry.js'
import { type UsedTask, usedTaskView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = (ctx: Context) => usedTaskView(ctx.durations)

/** Returns the tasks of the last seven days: those with the most entries first, then those with the most time. */
export async function run(ctx: Context): Promise<UsedTask[]> {
  const range = timeOf(parseDate('last 7 days', ctx.now))
  const used = new Map<string, UsedTask>()
  for await (const entries of (await ctx.entries()).batchesOfTimes(range, {})) {
    for (const entry of entries) {
      const id = entry.link?.id ?? entry.wire.task_link_id
      if (id === undefined || id === null) continue
      const before = used.get(String(id))
      used.set(String(id), {
        link: entry.link ?? toLink({ id, project_id: null, task_id: null }, null, null, null),
        entries: (before?.entries ?? 0) + 1,
        seconds: (before?.seconds ?? 0) + durationSeconds(inPeriod(entry, range, ctx.now).part),
        lastUsed: before && before.lastUsed > entry.start ? before.lastUsed : entry.start,
      })
    }
  }
  return [...used.values()].sort((a, b) => b.entries - a.entries || b.seconds - a.seconds)
}
