import { existsSync } from 'node:fs'
import type { Account } from '../auth/account.js'
import { clientStatePath } from '../config/paths.js'
import type { Context } from '../context.js'
import { timerKnownIn } from '../tracking/examination.js'

const staysGood = {
  tokens: 'The service offers no way to revoke its tokens: they stay good until they end by themselves.',
  key: 'The key stays good at the service until the user is deactivated there: keys cannot be revoked from here.',
}

/** Signs out of an account, and says what became of its tokens and of what this machine remembers: prompts show nothing of it. */
export async function signOut(ctx: Context, account: Account): Promise<void> {
  const { name, stateKey, baseUrl } = account.profile
  const { revoked, left, trouble } = await account.signOut()
  if (trouble !== undefined) {
    const reason = trouble instanceof Error ? trouble.message : String(trouble)
    ctx.warn(`The service was not told: ${reason} Its tokens stay good until they end by themselves.`)
  }
  if (left) ctx.warn(staysGood[left])
  const told = revoked ? 'The service has revoked the tokens. ' : ''
  ctx.say(`Signed out of ${baseUrl}. ${told}The profile "${name}" is forgotten on this machine.`)
  const state = clientStatePath(ctx.paths, stateKey)
  if (!existsSync(state)) return
  ctx.say(`What this machine remembers of its entries stays in ${state}.`)
  const timer = await timerKnownIn(state).catch(() => undefined)
  if (timer) (await ctx.showTimer())(undefined, timer)
}
