import { profileInForce } from '../config/profile.js'
import { readProfiles, useProfile } from '../config/profiles.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { signOut } from './signing-out.js'
import { recordView } from './views/record.js'

interface ProfileRecord {
  name: string
  /** Whether it is in force here and now. */
  current: boolean
  base_url: string | null
  method: 'local' | 'oauth' | 'key' | 'token'
}

const view = recordView<ProfileRecord>(
  { name: 'Name', current: 'Current', base_url: 'Service', method: 'Signed in by' },
  'No profiles.',
)

export const list = {
  view,
  async run(ctx: Context): Promise<ProfileRecord[]> {
    const { profiles } = readProfiles(ctx.paths)
    const inForce = ctx.profile.name
    const local: ProfileRecord = {
      name: 'local',
      current: inForce === 'local',
      base_url: null,
      method: 'local',
    }
    const stored = Object.entries(profiles).map(
      ([name, { base_url, method }]): ProfileRecord => ({
        name,
        current: inForce === name,
        base_url,
        method,
      }),
    )
    const { profile } = ctx
    const ofEnvironment: ProfileRecord[] =
      profile.kind === 'service'
        ? [{ name: profile.name, current: true, base_url: profile.baseUrl, method: 'token' }]
        : []
    return [local, ...stored, ...ofEnvironment]
  },
}

export const use = {
  async run(ctx: Context, name: string): Promise<undefined> {
    await useProfile(ctx.paths, name)
    ctx.say(
      name === 'local'
        ? 'Time is kept in the local workspace now.'
        : `The profile in force is now "${name}".`,
    )
    const { name: inForce } = ctx.profile
    if (inForce !== name)
      ctx.warn(`Here, "${inForce}" goes before it: TT_PROFILE, TT_BASE_URL or a directory file.`)
  },
}

export const rm = {
  async run(ctx: Context, name: string): Promise<undefined> {
    const profile = profileInForce(ctx.world.env, name)
    if (profile.kind !== 'stored') {
      throw new TtError('usage', 'The local workspace cannot be removed.', {
        hint: '`tt profiles` lists the accounts.',
      })
    }
    if (await ctx.confirm(`Sign out of the profile "${name}" and forget it?`)) {
      await signOut(ctx, await ctx.openAccount(profile))
    }
  },
}
