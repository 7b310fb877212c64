import { fold } from '../../lib/text/nearest-names.js'
import { pathOf } from '../../tracking/catalog/links.js'
import type { DefaultTask } from './default-task.js'
import { existingLink, type LinkIndex } from './link-index.js'
import type { LinkMapping } from './mapping-file.js'
import type { Combination, LinkAssignment, SourceNames, Staging } from './staging.js'

/** What determines the task links of an import. */
export interface LinkRules {
  index: LinkIndex
  /** The mapping file of the user. */
  mapping?: LinkMapping | undefined
  /** The task links that the user chose, by the `namesKey` of the combination. */
  choices: ReadonlyMap<string, LinkAssignment>
  /** What the user chose to replace missing tasks and projects. */
  chosenTask?: DefaultTask | undefined
  /** The name of the task of a project without one, unless the user chose a task. */
  defaultTask: string
}

/** Returns the key of names in the source, under which a choice is stored. */
export function namesKey({ client, project, task, tags }: SourceNames): string {
  return JSON.stringify([client, project, task, tags])
}

/** Assigns a task link to each combination of names that has one. */
export function assignLinks(staging: Staging, rules: LinkRules): void {
  const combinations = staging.combinations()
  const hasClients = combinations.some(({ client }) => client !== null)
  staging.change(() => {
    for (const combination of combinations)
      staging.assign(combination.id, resolveLink(combination, rules, hasClients))
  })
}

/** Returns the combinations of entries to create or update that have no task link, those with the most entries first. */
export function unassignedCombinations(staging: Staging): Combination[] {
  const rows = staging.database
    .prepare(
      `SELECT DISTINCT combination AS id FROM ${staging.tables.entry} WHERE action IN ('create', 'update')`,
    )
    .all() as { id: number }[]
  const ids = new Set(rows.map(({ id }) => id))
  return staging.combinations().filter(({ id, assignment }) => assignment === undefined && ids.has(id))
}

/** Returns combinations of several sources, each key once with all its entries, those with the most entries first. */
export function mergeCombinations(
  combinations: readonly Combination[],
  keyOf: (names: SourceNames) => string = namesKey,
): Combination[] {
  const byNames = new Map<string, Combination>()
  for (const combination of combinations) {
    const { entries = 0, seconds = 0 } = byNames.get(keyOf(combination)) ?? {}
    byNames.set(keyOf(combination), {
      ...(byNames.get(keyOf(combination)) ?? combination),
      entries: combination.entries + entries,
      seconds: combination.seconds + seconds,
    })
  }
  return [...byNames.values()].sort((a, b) => b.entries - a.entries)
}

/**
 * Returns the task link of a combination: that of the mapping file, otherwise the earlier choice, otherwise the one with the
 * same names. Missing names are those of the chosen task; a project without a task gets its default task. In the local workspace, names without a task link are those of a
 * new one. undefined if names are missing or ambiguous, or the profile cannot create a link.
 *
 * @param hasClients whether the source has clients
 */
export function resolveLink(
  names: SourceNames,
  rules: LinkRules,
  hasClients: boolean,
): LinkAssignment | undefined {
  return (
    rules.mapping?.find(names) ??
    rules.choices.get(namesKey(names)) ??
    linkOfTags(names, rules.index) ??
    linkOfNames(names, rules, hasClients)
  )
}

function linkOfNames(
  { client, project, task }: SourceNames,
  { index, chosenTask: chosen, defaultTask }: LinkRules,
  hasClients: boolean,
): LinkAssignment | undefined {
  const name = task ?? (chosen?.task || undefined)
  if (project !== null && name === undefined)
    return index.findDefault({ client, project, task: defaultTask }, hasClients)
  if (project !== null && name !== undefined) return index.find({ client, project, task: name }, hasClients)
  if (task === null && chosen?.link) return chosen.link
  const missing = chosen?.project
  if (missing === undefined || name === undefined) return undefined
  return index.find({ client: missing.client, project: missing.name, task: name }, missing.client === null)
}

/**
 * Returns the only task link whose project and task, and client if it has one, are tags of an entry without a project. A
 * link with a client precedes one without.
 */
function linkOfTags({ project, task, tags }: SourceNames, index: LinkIndex): LinkAssignment | undefined {
  if (project !== null || task !== null || tags.length < 2) return undefined
  const words = new Set(tags.map((tag) => fold(tag)))
  const found = index.links.filter(
    (link) => link.project && link.task && pathOf(link).every((name) => words.has(fold(name))),
  )
  const longest = Math.max(...found.map((link) => pathOf(link).length))
  const [only, ...others] = found.filter((link) => pathOf(link).length === longest)
  return only && others.length === 0 ? existingLink(only) : undefined
}
