import { existsSync } from 'node:fs'
import type { Account } from '../../../api-client/auth/account.js'
import type { Context } from '../../../cli/context.js'
import { withoutBackgroundDelivery } from '../../../config/background-lock.js'
import { clientStatePath } from '../../../config/paths.js'
import { errorMessage } from '../../../lib/errors.js'
import { cachedTimer } from '../../../outbox/cache/inspect-state.js'
import { entryFromJson } from '../../../tracking/entries/entry.js'

const tokenMessages = {
  revoked: 'The service has revoked the tokens.',
  remaining: 'The service offers no token revocation: its tokens stay valid until they expire.',
  failed: (reason: string) => `The tokens were not revoked: ${reason} They stay valid until they expire.`,
  unknown: (reason: string) =>
    `The tokens may not be revoked: ${reason} If they are not, they stay valid until they expire.`,
}

const keyMessages: typeof tokenMessages = {
  revoked: 'The service has revoked the key.',
  remaining:
    'The service offers no revocation of its key, which stays valid: ask the administrator of the service to revoke it.',
  failed: (reason) =>
    `The key was not revoked: ${reason} It stays valid: ask the administrator of the service to revoke it.`,
  unknown: (reason) =>
    `The key may not be revoked: ${reason} Ask the administrator of the service whether it is still valid.`,
}
/** Signs out of an account, prints what happened to its tokens or key and its data, and clears its timer from shell prompts. */
export async function signOut(ctx: Context, account: Account): Promise<void> {
  const { name, stateKey, baseUrl } = account.profile
  const { isRevoked, isKey, isRemaining, error, isOutcomeUnknown } = await withoutBackgroundDelivery(
    ctx.config.paths,
    stateKey,
    () => account.signOut(),
  )
  const messages = isKey ? keyMessages : tokenMessages
  if (error !== undefined) {
    const reason = errorMessage(error)
    ctx.terminal.warn(isOutcomeUnknown ? messages.unknown(reason) : messages.failed(reason))
  }
  if (isRemaining) ctx.terminal.warn(messages.remaining)
  const revocation = isRevoked ? `${messages.revoked} ` : ''
  ctx.terminal.message(
    `Signed out of ${baseUrl}. ${revocation}The profile "${name}" is removed from this machine.`,
  )
  const state = clientStatePath(ctx.config.paths, stateKey)
  if (!existsSync(state)) return
  ctx.terminal.message(`Cached and pending entries remain in ${state}.`)
  const timer = await cachedTimer(state).catch(() => undefined)
  if (timer) (await ctx.showTimer())(undefined, entryFromJson(timer))
}
