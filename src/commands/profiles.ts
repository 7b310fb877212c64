import type { Context } from '../cli/context.js'
import { type Profile, selectProfile } from '../config/profile.js'
import { readProfiles, useProfile } from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import type { ProfileJson } from '../shapes/accounts.js'
import { pendingOfProfile } from './shared/account/account-switch.js'
import { signOut } from './shared/account/sign-out.js'
import type { CommandInput, NoValues } from './shared/command.js'
import { recordView } from './views/record.js'

type ProfileRecord = ProfileJson

const view = recordView<ProfileRecord>(
  { name: 'Name', current: 'Current', base_url: 'Service', method: 'Signed in by' },
  'No profiles.',
)

export const list = {
  allowsUnreadableSettings: true,
  view,
  async run(ctx: Context): Promise<ProfileRecord[]> {
    const { profiles } = readProfiles(ctx.config.paths)
    const profile = activeProfile(ctx)
    const local: ProfileRecord = {
      name: 'local',
      current: profile?.name === 'local',
      base_url: null,
      method: 'local',
    }
    const stored = Object.entries(profiles).map(
      ([name, { base_url, method }]): ProfileRecord => ({
        name,
        current: profile?.name === name,
        base_url,
        method,
      }),
    )
    const ofEnvironment: ProfileRecord[] =
      profile?.kind === 'service'
        ? [{ name: profile.name, current: true, base_url: profile.baseUrl, method: 'token' }]
        : []
    return [local, ...stored, ...ofEnvironment]
  },
}

export const use = {
  async run(ctx: Context, { args: { name } }: CommandInput<NoValues, { name: string }>): Promise<undefined> {
    await useProfile(ctx.config.paths, name)
    ctx.terminal.message(
      name === 'local'
        ? 'The current profile is now the local workspace.'
        : `The current profile is now "${name}".`,
    )
    const before = activeProfile(ctx)
    if (before && before.name !== name)
      ctx.terminal.warn(
        `Here, "${before.name}" takes precedence: TT_PROFILE, TT_BASE_URL or a directory file sets it.`,
      )
  },
}

export const rm = {
  async run(ctx: Context, { args: { name } }: CommandInput<NoValues, { name: string }>): Promise<undefined> {
    const profile = selectProfile(ctx.host.env, name)
    if (profile.kind !== 'stored') {
      throw new TtError('usage', 'The local workspace cannot be removed.', {
        hint: 'Run `tt profiles` to list the profiles.',
      })
    }
    const pending = await pendingOfProfile(ctx, profile.stateKey)
    const question = `Sign out of the profile "${name}" and remove it?`
    if (await ctx.terminal.confirm(question, pending)) {
      await signOut(ctx, await ctx.openAccount(profile))
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
