import type { Context } from '../../cli/context.js'
import type { Profile } from '../../config/profile.js'
import { storedValues } from '../../config/settings/settings-file.js'
import { unmatchedPatterns } from '../shared/unmatched-patterns.js'
import type { Check } from '../views/check.js'

/** Reports the settings such as rates that match no client, project or task of the profile; no check if all do. */
export async function ratesCheck(ctx: Context, profile: Profile): Promise<Check[]> {
  const settings = Object.keys(storedValues(ctx.config.paths) ?? {})
  const unmatched = await unmatchedPatterns(ctx, profile, settings)
  if (unmatched.length === 0) return []
  const hint = 'Run `tt config set` with the right name, and `tt config unset` with the wrong one.'
  return [{ check: 'settings', state: 'warning', message: unmatched.join(' '), hint }]
}
