import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import type { tokenCommands } from '../../program/declarations/admin-access.js'
import type { IssuedToken } from '../../service/accounts/issued-tokens.js'
import { tokenView } from '../views/access.js'

const loadTokens = () => import('../../service/accounts/issued-tokens.js')

export const list = {
  view: tokenView,
  async run(ctx: Context, { options }: Input<typeof tokenCommands.list>): Promise<IssuedToken[]> {
    const { listIssuedTokens } = await loadTokens()
    const storage = await ctx.storage(options.database)
    const tokens = await listIssuedTokens(storage, { email: options.user, clock: ctx.host.now })
    return options.all ? tokens : tokens.filter(({ isValid }) => isValid)
  },
}

export const revoke = {
  view: tokenView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { id: ids }, options }: Input<typeof tokenCommands.revoke>,
    recorded: RecordedChange,
  ): Promise<IssuedToken[] | undefined> {
    const { getIssuedTokens, revokeIssuedTokens } = await loadTokens()
    const storage = await ctx.storage(options.database)
    const tokens = await getIssuedTokens(storage, ids, ctx.host.now)
    const names = tokens.map(({ id, name, user }) => `${id} (${name} of ${user})`).join(', ')
    if (!(await ctx.terminal.confirm(`Revoke ${names}? This cannot be undone.`))) return undefined
    const revoked = await recorded(storage, (storage) => revokeIssuedTokens(storage, ids, ctx.host.now))
    ctx.terminal.message(`Revoked ${names}.`)
    return revoked
  },
}
