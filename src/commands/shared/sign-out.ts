import { existsSync } from 'node:fs'
import type { Account } from '../../auth/account.js'
import { cachedTimer } from '../../cache/inspect-state.js'
import type { Context } from '../../cli/context.js'
import { clientStatePath } from '../../config/paths.js'
import { entryFromJson } from '../../entries/entry.js'
import { errorMessage } from '../../lib/errors.js'

const staysValid = {
  tokens: 'The service offers no token revocation: its tokens stay valid until they expire.',
  key: 'The key stays valid at the service: `tt logout` cannot revoke keys.',
}

/** Signs out of an account, prints what happened to its tokens and data, and clears its timer from shell prompts. */
export async function signOut(ctx: Context, account: Account): Promise<void> {
  const { name, stateKey, baseUrl } = account.profile
  const { isRevoked, remaining, error, isOutcomeUnknown } = await account.signOut()
  if (error !== undefined) {
    const reason = errorMessage(error)
    ctx.terminal.warn(
      isOutcomeUnknown
        ? `The tokens may not be revoked: ${reason} If they are not, they stay valid until they expire.`
        : `The tokens were not revoked: ${reason} They stay valid until they expire.`,
    )
  }
  if (remaining) ctx.terminal.warn(staysValid[remaining])
  const revocation = isRevoked ? 'The service has revoked the tokens. ' : ''
  ctx.terminal.message(
    `Signed out of ${baseUrl}. ${revocation}The profile "${name}" is removed from this machine.`,
  )
  const state = clientStatePath(ctx.config.paths, stateKey)
  if (!existsSync(state)) return
  ctx.terminal.message(`Cached and pending entries remain in ${state}.`)
  const timer = await cachedTimer(state).catch(() => undefined)
  if (timer) (await ctx.showTimer())(undefined, entryFromJson(timer))
}
