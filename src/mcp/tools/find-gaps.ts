import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import { run as check } from '../../commands/check.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { commands } from '../../program/declarations/report.js'
import type { Gap } from './reports.js'

export const allowsUnreadableSettings = true

/** Returns the gaps in working hours, each with the call that adds an entry. */
export async function run(ctx: Context, { args, options }: Input<typeof commands.check>): Promise<Gap[]> {
  const found = await check(ctx, { args, options: { ...options, gaps: true } })
  return found.map((gap) => {
    const [from, to] = [toRfc3339(gap.from), toRfc3339(gap.to)]
    return { from, to, seconds: gap.seconds, call: { tool: 'entry_add', input: { from, to } } }
  })
}
