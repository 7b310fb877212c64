import type { Api } from '../../../api-client/api.js'
import type { Context } from '../../../cli/context.js'
import { clientStatePath } from '../../../config/paths.js'
import type { StoredIdentity, StoredProfile } from '../../../config/profiles.js'
import { TtError } from '../../../lib/errors.js'
import { countText } from '../../../lib/text/words.js'
import { cachedRecordIds } from '../../../outbox/cache/inspect-state.js'
import { deliveryWarnings } from '../../../outbox/messages.js'
import { countPendingChanges } from '../../../outbox/pending.js'

/**
 * Returns a sentence with the number of pending changes that signing out would leave unsent; undefined for none.
 */
export async function pendingOfProfile(ctx: Context, stateKey: string): Promise<string | undefined> {
  try {
    const { total } = await countPendingChanges(clientStatePath(ctx.config.paths, stateKey))
    return total === 0 ? undefined : `${countText(total, 'change')} would not be sent.`
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return `The pending changes cannot be counted: ${error.message}`
  }
}

/**
 * Ensures that pending changes are not sent to another account: `api` must belong to their account, or the user has to
 * confirm it. It is the same account if the service names the same user as at the previous sign-in. The API does not
 * document this, but records are private: a token that can read a cached record belongs to the same account, too.
 *
 * Throws TtError `usage` where this cannot be shown and there is no terminal, `interrupted` when the user declines.
 */
export async function confirmSameAccount(
  ctx: Context,
  previous: StoredProfile,
  { api, identity }: { api: Api; identity: StoredIdentity | undefined },
): Promise<void> {
  const path = clientStatePath(ctx.config.paths, previous.state)
  const { total } = await countPendingChanges(path)
  if (
    total === 0 ||
    isSame(previous.account, identity) ||
    (await canReadAny(api, await cachedRecordIds(path)))
  )
    return
  const facts = `${countText(total, 'change')} ${total === 1 ? 'is' : 'are'} pending for the previous account.`
  const question = `${facts} Is this the same account?`
  if (ctx.options.yes) return ctx.terminal.warn(facts)
  const prompts = await ctx.terminal.prompts()
  if (!prompts) {
    throw new TtError(
      'usage',
      `${facts} The sign-in was cancelled: tt cannot tell whether it is the same account. ${ctx.terminal.cannotPromptReason}`,
      {
        hint:
          'Add --yes if it is. Otherwise sign in with --profile NAME, which keeps both accounts. Run `tt sync list` to see ' +
          'the changes, or `tt logout` to leave them behind.',
      },
    )
  }
  if (await prompts.confirm(question)) return
  throw new TtError('interrupted', 'The sign-in was cancelled.', {
    hint: 'Use --profile NAME to sign in to the other account under its own profile.',
  })
}

/**
 * Sends the pending changes of the profile of `ctx` after a sign-in, and prints how many were sent and how many remain.
 * The sign-in has succeeded, so a failure is only a warning.
 */
export async function sendPending(ctx: Context, stateKey: string): Promise<void> {
  try {
    const { count } = await countPendingChanges(clientStatePath(ctx.config.paths, stateKey))
    if (count.waiting === 0) return
    const sync = await (await ctx.tracker()).sync()
    const result = await sync.deliver()
    const { delivered, failure } = result
    if (delivered > 0) ctx.terminal.message(`Sent ${countText(delivered, 'change')}.`)
    const remaining = sync.list().filter(({ state }) => state !== 'held').length
    const reason = failure ? ` ${failure.message}` : ''
    if (remaining > 0)
      ctx.terminal.warn(`Not sent: ${countText(remaining, 'change')}.${reason} \`tt sync\` shows them.`)
    for (const { message, nextStep } of deliveryWarnings(result, ctx.host.now()))
      ctx.terminal.warn(message, nextStep)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.terminal.warn(`The pending changes could not be sent: ${error.message}`)
  }
}

function isSame(stored: StoredIdentity | undefined, identity: StoredIdentity | undefined): boolean {
  if (!stored || !identity) return false
  return String(stored.company_id) === String(identity.company_id) && stored.user === identity.user
}

async function canReadAny(api: Api, known: { entries: string[]; expenses: string[] }): Promise<boolean> {
  for (const id of known.entries) {
    const entry = await api.getTimeEntry(id).catch(ignoreError)
    if (String(entry?.id) === id) return true
  }
  if (known.expenses.length === 0) return false
  // There is no endpoint for a single expense.
  const expenses = await api.listExpenses().catch(ignoreError)
  return expenses?.some(({ id }) => known.expenses.includes(String(id))) ?? false
}

/** Ignores TtErrors: an unreadable record proves nothing. */
function ignoreError(error: unknown): undefined {
  if (!(error instanceof TtError)) throw error
}
