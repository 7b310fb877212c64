import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { pendingOfProfile } from './shared/account-switch.js'
import { signOut } from './shared/sign-out.js'

/**
 * Signs out: the service forgets the tokens where it offers that, and this machine forgets the profile. Asks first
 * where changes wait that the service does not have.
 */
export async function run(ctx: Context): Promise<undefined> {
  const { profile } = ctx
  if (profile.kind === 'stored') {
    const pending = await pendingOfProfile(ctx, profile.stateKey)
    if (!pending || (await ctx.confirm(`Sign out of the profile "${profile.name}" anyway?`, pending)))
      await signOut(ctx, await ctx.openAccount(profile))
    return
  }
  if (profile.kind === 'local') {
    throw new TtError('usage', 'The local workspace has no account to sign out of.', {
      hint: '`tt profiles` lists the accounts; `tt logout --profile NAME` signs out of one.',
    })
  }
  throw new TtError('usage', 'This account comes from TT_BASE_URL and TT_TOKEN; nothing of it is kept.', {
    hint: 'Unset them, or name an account with --profile.',
  })
}
