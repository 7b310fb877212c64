import { toRfc3339 } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import { type CheckOptions, run as check } from '../../commands/check.js'
import type { CommandInput } from '../../commands/shared/command.js'
import type { PeriodArgs } from '../../commands/shared/options/period-options.js'
import type { Gap } from './reports.js'

export const allowsUnreadableSettings = true

/** Returns the gaps in working hours, each with the call that adds an entry. */
export async function run(
  ctx: Context,
  { args, options }: CommandInput<CheckOptions, PeriodArgs>,
): Promise<Gap[]> {
  const found = await check(ctx, { args, options: { ...options, gaps: true } })
  return found.map((gap) => {
    const [from, to] = [toRfc3339(gap.from), toRfc3339(gap.to)]
    return { from, to, seconds: gap.seconds, call: { tool: 'entry_add', input: { from, to } } }
  })
}
