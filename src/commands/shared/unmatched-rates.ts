import { existsSync } from 'node:fs'
import { matchRateKey, type RateKeyMatch } from '../../catalog/rate-keys.js'
import type { CatalogLists } from '../../catalog/reference-data.js'
import type { Context } from '../../cli/context.js'
import { clientStatePath, workspacePath } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { TtError } from '../../lib/errors.js'
import { suggestionText } from '../../lib/text/nearest-names.js'

const prefix = 'rate.'
const settingsOf = (patterns: readonly string[]) => patterns.map((pattern) => `${prefix}${pattern}`)

/**
 * Checks that a setting `rate.PATTERN` applies to a client, project or task. Throws TtError `usage` if only a project or
 * task inside others has that name. Warns if nothing has, because it may be created later.
 */
export async function checkRateKey(ctx: Context, setting: string): Promise<void> {
  if (!setting.startsWith(prefix)) return
  const match = await currentMatch(ctx, setting.slice(prefix.length))
  if (!match || match.isMatch) return
  const candidates = settingsOf(match.sameName)
  if (candidates.length > 0) throw new TtError('usage', wrongLevelText(setting, match), { candidates })
  ctx.terminal.warn(`${setting} matches nothing yet.${suggestionText(settingsOf(match.nearest))}`)
}

/** Returns a sentence on each of these settings that are rates and match nothing in the profile. Sends no requests. */
export async function unmatchedRates(
  ctx: Context,
  profile: Profile,
  settings: readonly string[],
): Promise<string[]> {
  const rates = settings.filter((setting) => setting.startsWith(prefix))
  const lists = rates.length > 0 && (await knownCatalog(ctx, profile))
  if (!lists) return []
  return rates.flatMap((setting) => {
    const match = matchRateKey(setting.slice(prefix.length), lists)
    if (!match || match.isMatch) return []
    const advice =
      match.sameName.length > 0
        ? ` ${wrongLevelText(setting, match)}`
        : suggestionText(settingsOf(match.nearest))
    return [`${setting} matches nothing.${advice}`]
  })
}

/** Returns "There is no client Website. For the project, use rate.Acme/Website." */
function wrongLevelText(setting: string, { sameName }: RateKeyMatch): string {
  const [client = '', ...inside] = setting.slice(prefix.length).split('/')
  const missing = inside.length === 0 ? client : `${client} with ${inside.join('/')}`
  const advice = ['project', 'task'].flatMap((kind, index) => {
    const patterns = sameName.filter((pattern) => pattern.split('/').length === index + 2)
    return patterns.length === 0 ? [] : [`For the ${kind}, use ${settingsOf(patterns).join(' or ')}.`]
  })
  return [`There is no client ${missing}.`, ...advice].join(' ')
}

/** Returns what a pattern matches; undefined if the catalog is unknown: a rate can be set without the service. */
async function currentMatch(ctx: Context, pattern: string): Promise<RateKeyMatch | undefined> {
  try {
    if (isEmpty(ctx, ctx.config.profile)) return undefined
    const reference = await ctx.reference()
    const match = matchRateKey(pattern, await reference.recent('catalog'))
    if (!match || match.isMatch) return match
    // The cached catalog may be older than the client.
    return matchRateKey(pattern, await reference.current('catalog'))
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}

/** Returns the catalog of the local workspace, or the cached one of a service; undefined without one. */
async function knownCatalog(ctx: Context, profile: Profile): Promise<CatalogLists | undefined> {
  if (isEmpty(ctx, profile)) return undefined
  if (!profile.hasDelivery) return (await ctx.reference()).recent('catalog')
  const [{ openReadOnly }, { readSnapshot }] = await Promise.all([
    import('../../lib/sqlite/open.js'),
    import('../../cache/snapshots.js'),
  ])
  const database = await openReadOnly(clientStatePath(ctx.config.paths, profile.stateKey))
  try {
    return database && readSnapshot(database, 'catalog')?.value.value
  } finally {
    database?.close()
  }
}

/** Whether the profile is a local workspace that has not been created yet. */
function isEmpty({ config }: Context, { hasDelivery }: Profile): boolean {
  return !hasDelivery && !existsSync(workspacePath(config.paths))
}
