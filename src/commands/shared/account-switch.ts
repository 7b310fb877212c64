import type { Api } from '../../api/api.js'
import { cachedRecordIds } from '../../cache/inspect-state.js'
import type { Context } from '../../cli/context.js'
import { clientStatePath } from '../../config/paths.js'
import { TtError } from '../../lib/errors.js'
import { deliveryWarnings } from '../../outbox/messages.js'
import { countPendingChanges } from '../../outbox/pending-counts.js'

/**
 * What to say before the state of an account is left: how many changes its service would never get. undefined where
 * there are none.
 */
export async function pendingOfProfile(ctx: Context, stateKey: string): Promise<string | undefined> {
  try {
    const { total } = await countPendingChanges(clientStatePath(ctx.paths, stateKey))
    return total === 0 ? undefined : `${countText(total)} would be left undelivered.`
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return `What would be left undelivered is not known: ${error.message}`
  }
}

/**
 * Makes sure that what waits in the outbox is not delivered into another account: `api` has to be of the account that
 * typed it, or somebody has to say that it is. The API does not tell whose a token is, but each record is its owner's
 * alone: whoever can read one that was seen here is the same.
 *
 * Throws TtError `usage` where that cannot be shown and nobody can answer, `interrupted` when the answer is no.
 */
export async function confirmSameAccount(ctx: Context, stateKey: string, api: Api): Promise<void> {
  const path = clientStatePath(ctx.paths, stateKey)
  const { total } = await countPendingChanges(path)
  if (total === 0 || (await canReadAny(api, await cachedRecordIds(path)))) return
  const facts = `${countText(total)} ${total === 1 ? 'waits' : 'wait'} for the account that was signed in before.`
  const question = `${facts} Is this the same account?`
  if (ctx.options.yes) return ctx.warn(facts)
  const prompts = await ctx.prompts()
  if (!prompts) {
    throw new TtError(
      'usage',
      `${facts} Nobody was signed in: whether it is the same account is not known. ${ctx.cannotPrompt}`,
      {
        hint:
          'Add --yes if it is. If it is not, sign in with --profile NAME, beside it; `tt sync list` shows what waits, ' +
          'and `tt logout` leaves it behind.',
      },
    )
  }
  if (await prompts.confirm(question)) return
  throw new TtError('interrupted', 'Nobody was signed in.', {
    hint: 'Sign in to the other account with --profile NAME: it gets a profile of its own.',
  })
}

/**
 * Sends the pending changes of a profile after a sign-in, and prints how many were sent and are left. The sign-in is
 * done, so a failure is only a warning.
 */
export async function sendPending(ctx: Context, profile: string, stateKey: string): Promise<void> {
  const signedIn = ctx.forProfile(profile)
  try {
    const { count } = await countPendingChanges(clientStatePath(ctx.paths, stateKey))
    if (count.waiting === 0) return
    const sync = await (await signedIn.tracker()).sync()
    const result = await sync.deliver()
    const { delivered, failure: stopped } = result
    if (delivered > 0) ctx.message(`Delivered ${countText(delivered)}.`)
    const remaining = sync.list().filter(({ state }) => state !== 'held').length
    const reason = stopped ? ` ${stopped.message}` : ''
    if (remaining > 0) ctx.warn(`Not delivered: ${countText(remaining)}.${reason} \`tt sync\` shows them.`)
    for (const { message, nextStep } of deliveryWarnings(result, ctx.host.now())) ctx.warn(message, nextStep)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.warn(`The pending changes could not be sent: ${error.message}`)
  } finally {
    await signedIn.close()
  }
}

async function canReadAny(api: Api, known: { entries: string[]; expenses: string[] }): Promise<boolean> {
  for (const id of known.entries) {
    const entry = await api.getTimeEntry(id).catch(ignoreError)
    if (String(entry?.id) === id) return true
  }
  if (known.expenses.length === 0) return false
  // No endpoint answers a single expense.
  const expenses = await api.listExpenses().catch(ignoreError)
  return expenses?.some(({ id }) => known.expenses.includes(String(id))) ?? false
}

/** A record that cannot be read shows nothing, whatever the reason. */
function ignoreError(error: unknown): undefined {
  if (!(error instanceof TtError)) throw error
}

const countText = (count: number) => (count === 1 ? '1 change' : `${count} changes`)
