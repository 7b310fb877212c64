import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import { run as runReport, summary as summaryOf } from '../../commands/report/time-report.js'
import type { commands } from '../../program/declarations/report.js'
import { limitGroups } from '../../report/limits.js'
import type { Group } from '../../report/report-model.js'

export const allowsUnreadableSettings = true
export const summary = summaryOf

/** Returns the totals of a report with about `limit` groups, and prints a message about the others. */
export async function run(
  ctx: Context,
  { args, options: { limit, ...options } }: Input<typeof commands.report> & { options: { limit: number } },
) {
  const result = await runReport(ctx, { args, options })
  if (!('report' in result)) throw new Error('The report has no totals.')
  const { nodes: groups, omitted, count } = limitGroups(result.report.groups, limit)
  if (omitted > 0)
    ctx.terminal.message(
      `Truncated: ${count - omitted} of ${count} groups. The others are combined or left out, and the sums are complete. For more, raise limit, or choose fewer groups in by, a shorter period or filters.`,
    )
  return { ...result, report: { ...result.report, groups: groups.map(withKey) } }
}

/** Returns a group whose combined groups have a key, such as "12 others": null would mean that they have no name. */
function withKey(group: Group): Group {
  const isCombined = group.key === null && group.label.endsWith(' others')
  return { ...group, key: isCombined ? group.label : group.key, groups: group.groups.map(withKey) }
}
