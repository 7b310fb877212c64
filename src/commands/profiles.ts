import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { namedProfiles, type Profile, selectProfile } from '../config/profile.js'
import { readProfiles, useProfile } from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/account.js'
import type { ProfileJson } from '../records/shapes/accounts.js'
import { pendingOfProfile } from './shared/account/account-switch.js'
import { signOut } from './shared/account/sign-out.js'
import { recordView } from './views/record.js'

type Commands = typeof commands.profiles.commands

type ProfileRecord = ProfileJson

const view = recordView<ProfileRecord>(
  { name: 'Name', current: 'Current', base_url: 'Service', method: 'Signed in by' },
  'No profiles.',
)

export const list = {
  allowsUnreadableSettings: true,
  view,
  async run(ctx: Context): Promise<ProfileRecord[]> {
    const named = namedProfiles(readProfiles(ctx.config.paths))
    const active = activeProfile(ctx)
    const profiles = active && !active.isNamed ? [...named, active] : named
    return profiles.map(({ name, baseUrl, method }) => ({
      name,
      current: name === active?.name,
      base_url: baseUrl ?? null,
      method,
    }))
  },
}

export const use = {
  async run(ctx: Context, { args: { name } }: Input<Commands['use']>): Promise<undefined> {
    const { signIn } = selectProfile(ctx.host.env, name)
    await useProfile(ctx.config.paths, signIn?.name)
    ctx.terminal.message(`The current profile is now ${signIn ? `"${name}"` : 'the local workspace'}.`)
    const before = activeProfile(ctx)
    if (before && before.name !== name)
      ctx.terminal.warn(
        `Here, "${before.name}" takes precedence: TT_PROFILE, TT_BASE_URL or a directory file sets it.`,
      )
  },
}

export const rm = {
  async run(ctx: Context, { args: { name } }: Input<Commands['rm']>): Promise<undefined> {
    const { signIn } = selectProfile(ctx.host.env, name)
    if (!signIn) {
      throw new TtError('usage', 'The local workspace cannot be removed.', {
        hint: 'Run `tt profiles` to list the profiles.',
      })
    }
    const pending = await pendingOfProfile(ctx, signIn.stateKey)
    const question = `Sign out of the profile "${name}" and remove it?`
    if (await ctx.terminal.confirm(question, pending)) {
      await signOut(ctx, await ctx.openAccount(signIn))
    }
  },
}

/** Returns the active profile; warns and returns undefined for an unknown one, which these commands can correct. */
function activeProfile(ctx: Context): Profile | undefined {
  try {
    return ctx.config.profile
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.terminal.warn(error.message)
    return undefined
  }
}
