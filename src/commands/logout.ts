import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { pendingOfProfile } from './shared/account/account-switch.js'
import { signOut } from './shared/account/sign-out.js'

/**
 * Signs out: revokes the tokens or the key where the service supports it, and removes the profile. Prompts when there are pending
 * changes.
 */
export async function run(ctx: Context): Promise<undefined> {
  const { signIn, isNamed } = ctx.config.profile
  if (signIn) {
    const pending = await pendingOfProfile(ctx, signIn.stateKey)
    if (!pending || (await ctx.terminal.confirm(`Sign out of the profile "${signIn.name}" anyway?`, pending)))
      await signOut(ctx, await ctx.openAccount(signIn))
    return
  }
  if (isNamed) {
    throw new TtError('usage', 'The local workspace has no account to sign out of.', {
      hint: 'Run `tt profiles` to list the profiles, or `tt logout --profile NAME` to sign out of one.',
    })
  }
  throw new TtError(
    'usage',
    'This account comes from TT_BASE_URL and TT_TOKEN: there is nothing to sign out of.',
    {
      hint: 'Unset them, or choose a profile with --profile. The token stays valid, because other programs may use it: its service can revoke it.',
    },
  )
}
