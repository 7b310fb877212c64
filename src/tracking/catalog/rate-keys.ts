import { fold, nearestNames } from '../../lib/text/nearest-names.js'
import type { CatalogLists } from '../../outbox/cache/snapshots.js'
import { joinLinks } from './links.js'
import { matchesAny, type Path } from './renamed-path.js'

/** What the part of a setting `rate.PATTERN` names. */
export interface RateKeyMatch {
  /** Whether the rate applies to a client, project or task. */
  isMatch: boolean
  /** The patterns of the projects and tasks that have exactly this name. */
  sameName: string[]
  /** The patterns of the records with the most similar name. */
  nearest: string[]
}

/** Returns what a pattern of client/project/task matches in a catalog; undefined for an empty catalog. */
export function matchRateKey(pattern: string, lists: CatalogLists): RateKeyMatch | undefined {
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
