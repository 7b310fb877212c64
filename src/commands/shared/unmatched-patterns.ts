import { existsSync } from 'node:fs'
import type { Context } from '../../cli/context.js'
import { clientStatePath, workspacePath } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { patternPrefixes } from '../../config/settings/setting-table.js'
import { TtError } from '../../lib/errors.js'
import { fold, nearestNames, suggestionText } from '../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../outbox/cache/snapshots.js'
import { joinLinks, matchesAny, type Path } from '../../tracking/catalog/links.js'

/** A setting whose name ends with a pattern: `rate.` and `Acme/Website`. */
interface PatternSetting {
  name: string
  prefix: string
  pattern: string
}

function patternSetting(name: string): PatternSetting | undefined {
  const prefix = patternPrefixes.find((beginning) => name.startsWith(beginning))
  return prefix === undefined ? undefined : { name, prefix, pattern: name.slice(prefix.length) }
}

const settingsOf = ({ prefix }: PatternSetting, patterns: readonly string[]) =>
  patterns.map((pattern) => `${prefix}${pattern}`)

/**
 * Checks that a setting such as `rate.PATTERN` applies to a client, project or task. Throws TtError `usage` if only a
 * project or task inside others has that name. Warns if nothing has, because it may be created later.
 */
export async function checkPatternSetting(ctx: Context, name: string): Promise<void> {
  const setting = patternSetting(name)
  const match = setting && (await currentMatch(ctx, setting.pattern))
  if (!match || match.isMatch) return
  const candidates = settingsOf(setting, match.sameName)
  if (candidates.length > 0) throw new TtError('usage', wrongLevelText(setting, match), { candidates })
  ctx.terminal.warn(`${name} matches nothing yet.${suggestionText(settingsOf(setting, match.nearest))}`)
}

/** Returns a sentence on each of these settings whose pattern matches nothing in the profile. Sends no requests. */
export async function unmatchedPatterns(
  ctx: Context,
  profile: Profile,
  names: readonly string[],
): Promise<string[]> {
  const settings = names.flatMap((name) => patternSetting(name) ?? [])
  const lists = settings.length > 0 && (await knownCatalog(ctx, profile))
  if (!lists) return []
  return settings.flatMap((setting) => {
    const match = matchRateKey(setting.pattern, lists)
    if (!match || match.isMatch) return []
    const advice =
      match.sameName.length > 0
        ? ` ${wrongLevelText(setting, match)}`
        : suggestionText(settingsOf(setting, match.nearest))
    return [`${setting.name} matches nothing.${advice}`]
  })
}

/** Returns "There is no client Website. For the project, use rate.Acme/Website." */
function wrongLevelText(setting: PatternSetting, { sameName }: RateKeyMatch): string {
  const [client = '', ...inside] = setting.pattern.split('/')
  const missing = inside.length === 0 ? client : `${client} with ${inside.join('/')}`
  const advice = ['project', 'task'].flatMap((kind, index) => {
    const patterns = sameName.filter((pattern) => pattern.split('/').length === index + 2)
    return patterns.length === 0
      ? []
      : [`For the ${kind}, use ${settingsOf(setting, patterns).join(' or ')}.`]
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
    import('../../outbox/cache/snapshots.js'),
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

/** What the part of a setting `rate.PATTERN` names. */
interface RateKeyMatch {
  /** Whether the rate applies to a client, project or task. */
  isMatch: boolean
  /** The patterns of the projects and tasks that have exactly this name. */
  sameName: string[]
  /** The patterns of the records with the most similar name. */
  nearest: string[]
}

/** Returns what a pattern of client/project/task matches in a catalog; undefined for an empty catalog. */
function matchRateKey(pattern: string, lists: CatalogLists): RateKeyMatch | undefined {
  const records = namesOf(lists)
  if (records.length === 0) return undefined
  const path: Path = pattern.split('/').map((name) => name.trim())
  if (matchesAny(path, records)) return { isMatch: true, sameName: [], nearest: [] }
  const keys = keysByName(records)
  const typed = fold(path.join('/'))
  const [nearest = ''] = nearestNames(typed, [...keys.keys()], 1)
  return { isMatch: false, sameName: [...(keys.get(typed) ?? [])], nearest: [...(keys.get(nearest) ?? [])] }
}

/** Returns the names of all clients, projects and tasks, each with those of the records around it. */
function namesOf(lists: CatalogLists): (string | null)[][] {
  const clients = new Map(lists.clients.map(({ id, name }) => [String(id), name]))
  return [
    ...lists.clients.map(({ name }) => [name]),
    ...lists.projects.map(({ name, client_id: id }) => [clients.get(String(id)) ?? null, name]),
    // A service may name records only within its tasks.
    ...joinLinks(lists).flatMap(({ client, project, task }) => {
      const names = [client, project, task].map((named) => named?.name ?? null)
      return [names.slice(0, 1), names.slice(0, 2), names].filter((path) => path.at(-1) !== null)
    }),
  ]
}

/** Returns the patterns of records by their folded names, alone and after those of the records around them. */
function keysByName(records: readonly (readonly (string | null)[])[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>()
  for (const names of records) {
    for (let start = names.length - 1; start >= 0; start--) {
      const typed = names.slice(start)
      if (typed.includes(null)) break
      const isTaskAlone = typed.length === 1 && names.length === 3
      const key = names
        .map((name, level) => (isTaskAlone && level < 2 ? '*' : (name ?? (level === 0 ? '' : '*'))))
        .join('/')
      const name = fold(typed.join('/'))
      keys.set(name, (keys.get(name) ?? new Set()).add(key))
    }
  }
  return keys
}
