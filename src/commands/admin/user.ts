import { type Scope, scopes } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import type { Input, Options } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { TtError } from '../../lib/errors.js'
import { countText } from '../../lib/text/words.js'
import type { userCommands } from '../../program/declarations/admin-access.js'
import type { BrowserSignIn } from '../../service/accounts/issued-tokens.js'
import type { RevokedAccess } from '../../service/accounts/tokens.js'
import { readSecret } from '../shared/standard-input.js'
import { sessionView } from '../views/access.js'
import { recordView } from '../views/record.js'

type AddOptions = Options<typeof userCommands.add>

interface UserRecord {
  id: number
  email: string
  name: string
  active: boolean
  token?: string
}

const loadAdministration = () => import('../../service/admin/administration.js')
const userView = recordView<UserRecord>(
  { id: 'ID', email: 'Email', name: 'Name', active: 'Active' },
  'No users.',
)
const tokenView = recordView<Pick<UserRecord, 'email' | 'token'>>({ email: 'Email', token: 'Token' }, '')

export const add = {
  view: tokenView,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.add>,
    recorded: RecordedChange,
  ): Promise<UserRecord> {
    if (options.passwordStdin) return addWithPassword(ctx, email, options, recorded)
    if (options.withoutToken) return addWithoutAccess(ctx, email, options, recorded)
    const granted = scopesOf(options.scope)
    const { addUser, issueToken } = await loadAdministration()
    const clock = ctx.host.now
    const user = await recorded(await ctx.storage(options.database), async (storage) => ({
      ...(await addUser(storage, { email, name: nameOf(email, options), clock })),
      token: await issueToken(storage, email, { scopes: granted, name: 'tt admin', clock }),
    }))
    ctx.terminal.message(`Added ${email}. Set the token as TT_TOKEN; it cannot be shown again.`)
    return user
  },
}

export const password = {
  view: userView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.password>,
    recorded: RecordedChange,
  ): Promise<UserRecord> {
    const { setPassword } = await import('../../service/accounts/passwords.js')
    const typed = await readSecret(ctx.host.stdin, 'password', '--password-stdin')
    const storage = await ctx.storage(options.database)
    const { revoked, ...user } = await recorded(storage, (storage) =>
      setPassword(storage, { email, password: typed, clock: ctx.host.now }),
    )
    ctx.terminal.message(`The password of ${user.email} is set. ${revocationText(revoked)}`)
    return user
  },
}

export const token = {
  view: tokenView,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.token>,
    recorded: RecordedChange,
  ): Promise<{ email: string; token: string }> {
    const granted = scopesOf(options.scope)
    const { issueToken } = await loadAdministration()
    const issued = await recorded(await ctx.storage(options.database), (storage) =>
      issueToken(storage, email, { scopes: granted, name: 'tt admin', clock: ctx.host.now }),
    )
    ctx.terminal.message('Set the token as TT_TOKEN; it cannot be shown again.')
    return { email, token: issued }
  },
}

export const list = {
  view: userView,
  async run(ctx: Context, { options }: Input<typeof userCommands.list>): Promise<UserRecord[]> {
    const { listUsers } = await loadAdministration()
    return listUsers(await ctx.storage(options.database))
  },
}

export const deactivate = {
  view: userView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.deactivate>,
    recorded: RecordedChange,
  ): Promise<UserRecord> {
    const { deactivateUser } = await loadAdministration()
    const { revoked, ...user } = await recorded(await ctx.storage(options.database), (storage) =>
      deactivateUser(storage, email, ctx.host.now),
    )
    ctx.terminal.message(`${user.email} is deactivated. ${revocationText(revoked)}`)
    return user
  },
}

export const activate = {
  view: userView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.activate>,
    recorded: RecordedChange,
  ): Promise<UserRecord> {
    const { activateUser } = await loadAdministration()
    const user = await recorded(await ctx.storage(options.database), (storage) =>
      activateUser(storage, email),
    )
    ctx.terminal.message(
      `${user.email} is active and can sign in with the password. Revoked tokens stay revoked.`,
    )
    return user
  },
}

export const sessions = {
  view: sessionView,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.sessions>,
  ): Promise<BrowserSignIn[]> {
    const { listBrowserSignIns } = await import('../../service/accounts/issued-tokens.js')
    return listBrowserSignIns(await ctx.storage(options.database), email, ctx.host.now)
  },
}

export const revoke = {
  view: userView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.revoke>,
    recorded: RecordedChange,
  ): Promise<UserRecord | undefined> {
    const { getUser, revokeUser } = await loadAdministration()
    const storage = await ctx.storage(options.database)
    const { email: address } = await getUser(storage, email)
    const question = `Revoke all tokens, applications and browser sessions of ${address}? This cannot be undone.`
    if (!(await ctx.terminal.confirm(question))) return undefined
    const { revoked, ...user } = await recorded(storage, (storage) =>
      revokeUser(storage, address, ctx.host.now),
    )
    ctx.terminal.message(`${user.email}: ${revocationText(revoked)}`)
    return user
  },
}

export const unlink = {
  view: userView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<typeof userCommands.unlink>,
    recorded: RecordedChange,
  ): Promise<UserRecord> {
    const { unlinkUser } = await loadAdministration()
    const { removed, ...user } = await recorded(
      await ctx.storage(options.database),
      (storage) => unlinkUser(storage, email),
      ({ removed }) => removed > 0,
    )
    ctx.terminal.message(
      removed === 0
        ? `${user.email} has no account at an OpenID Connect provider. Nothing was changed.`
        : `${user.email}: the next sign-in with OpenID Connect links the account with the same verified email address.`,
    )
    return user
  },
}

/** Adds a user who signs in with a password, without a token. */
async function addWithPassword(
  ctx: Context,
  email: string,
  options: AddOptions,
  recorded: RecordedChange,
): Promise<UserRecord> {
  const { addUser } = await loadAdministration()
  const { checkPassword, setPassword } = await import('../../service/accounts/passwords.js')
  const typed = await readSecret(ctx.host.stdin, 'password', '--password-stdin')
  await checkPassword(typed, email)
  const storage = await ctx.storage(options.database)
  const user = await recorded(storage, async (storage) => {
    const added = await addUser(storage, { email, name: nameOf(email, options), clock: ctx.host.now })
    await setPassword(storage, { email, password: typed, clock: ctx.host.now })
    return added
  })
  ctx.terminal.message(`Added ${user.email}, who can sign in with the password.`)
  return user
}

/** Adds a user who has neither a password nor a token yet. */
async function addWithoutAccess(
  ctx: Context,
  email: string,
  options: AddOptions,
  recorded: RecordedChange,
): Promise<UserRecord> {
  const { addUser } = await loadAdministration()
  const user = await recorded(await ctx.storage(options.database), (storage) =>
    addUser(storage, { email, name: nameOf(email, options), clock: ctx.host.now }),
  )
  ctx.terminal.message(`Added ${user.email}, who has no password and no token.`)
  return user
}

const nameOf = (email: string, { name }: AddOptions) => name ?? email.replace(/@.*/, '')

/** Returns "Revoked: 2 tokens, 1 application, 0 browser sessions." */
function revocationText({ tokens, grants, sessions }: RevokedAccess): string {
  const counts = [
    countText(tokens, 'token'),
    countText(grants, 'application'),
    countText(sessions, 'browser session'),
  ]
  return `Revoked: ${counts.join(', ')}.`
}

function scopesOf(text: string | undefined): Scope[] {
  if (text === undefined) return [...scopes]
  const words = text.split(/[\s,]+/).filter(Boolean)
  if (words.length === 0) {
    throw new TtError('usage', '--scope is empty.', { hint: `Valid scopes: ${scopes.join(', ')}.` })
  }
  return words.map((word) => {
    const scope = scopes.find((known) => known === word)
    if (scope) return scope
    throw new TtError('usage', `"${word}" is not a scope.`, { hint: `Valid scopes: ${scopes.join(', ')}.` })
  })
}
