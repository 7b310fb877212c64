import type { Context } from '../../cli/context.js'
import { countText } from '../../lib/text/words.js'

/**
 * Returns a sentence each for the changes that the service does not have: pending ones, with the reason if their delivery
 * has failed, and rejected ones that the command has not printed. Pending changes that another process is sending are not
 * mentioned.
 */
export async function changeLines(ctx: Context): Promise<string[]> {
  const { outbox, notices } = await ctx.tracker()
  const { returnedRejections: printed } = notices
  const [pending, rejected] = [outbox.pendingCount(), outbox.rejectedCount() - printed]
  const failure = notices.lastFailure?.error.message
  const isSent = failure === undefined && (await ctx.sendMode()) === 'background'
  const count = (number: number, kind: string) => countText(number, `${kind} change`, `${kind} changes`)
  const reason = failure === undefined ? '' : ` ${failure}`
  const advice = `\`tt sync\` sends ${pending === 1 ? 'it' : 'them'}.`
  return [
    ...(pending > 0 && !isSent ? [`${count(pending, 'pending')}:${reason} ${advice}`] : []),
    ...(rejected > 0
      ? [`${count(rejected, printed > 0 ? 'more rejected' : 'rejected')}: see \`tt sync list\`.`]
      : []),
  ]
}
