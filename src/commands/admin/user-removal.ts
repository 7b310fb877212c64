import type { Context } from '../../cli/context.js'
import type { Input, Options } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { countText } from '../../lib/text/words.js'
import type { userCommands } from '../../program/declarations/admin-access.js'
import type { RemovedUserJson } from '../../records/shapes/admin.js'
import type { RecordsAction, UserRecords } from '../../service/accounts/remove-user.js'
import { recordView } from '../views/record.js'

type RemovedUser = RemovedUserJson

export const view = recordView<RemovedUser>(
  { id: 'ID', email: 'Email', records: 'Records', entries: 'Entries', expenses: 'Expenses' },
  '',
)
export const messageReplacesValue = true

export async function run(
  ctx: Context,
  { args: { email }, options }: Input<typeof userCommands.rm>,
  recorded: RecordedChange,
): Promise<RemovedUser | undefined> {
  const requested = actionOf(options)
  const { recordsOfUser, removeUser } = await import('../../service/accounts/remove-user.js')
  const clock = ctx.host.now
  const storage = await ctx.storage(options.database)
  const { email: address, id, records } = await recordsOfUser(storage, email, clock())
  const hasRecords = records.entries + records.expenses > 0
  // Without an action, `removeUser` rejects a user with records.
  if (!hasRecords || requested !== undefined) {
    const question = questionText(address, hasRecords ? requested : undefined, amountText(ctx, records))
    if (!(await ctx.terminal.confirm(question))) return undefined
  }
  const removed = await recorded(storage, (storage) =>
    removeUser(storage, { email, action: requested, clock, confirmed: records }),
  )
  const { entries, expenses } = removed.records
  const action = entries + expenses === 0 ? undefined : requested
  ctx.terminal.message(resultText(address, action, `Removed user ${id}`, amountText(ctx, removed.records)))
  const outcome = action === undefined ? null : action === 'keep' ? 'kept' : 'deleted'
  return { id, email: address, records: outcome, ...removed.records }
}

function actionOf({ keepTime, deleteTime }: Options<typeof userCommands.rm>): RecordsAction | undefined {
  if (keepTime) return 'keep'
  return deleteTime ? 'delete' : undefined
}

function questionText(email: string, action: RecordsAction | undefined, amount: string): string {
  const what = {
    keep: ` Their ${amount} stay without their name.`,
    delete: ` Their ${amount} are deleted, too.`,
    none: '',
  }[action ?? 'none']
  return `Remove ${email} with all passwords, tokens and sign-ins?${what} This cannot be undone.`
}

function resultText(email: string, action: RecordsAction | undefined, name: string, amount: string): string {
  if (action === undefined) return `Removed ${email}.`
  return action === 'keep'
    ? `Removed ${email}. The ${amount} stay as those of "${name}".`
    : `Removed ${email} with ${amount}.`
}

/** Returns "12 entries (30h 15m) and 1 expense". */
function amountText({ durations }: Context, { entries, seconds, expenses }: UserRecords): string {
  const time = `${countText(entries, 'entry', 'entries')} (${durations.format(seconds)})`
  return `${time} and ${countText(expenses, 'expense')}`
}
