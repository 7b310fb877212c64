import type { Named } from '../../catalog/catalog.js'
import type { EntryFilters } from '../../entries/entry-filter.js'
import { separateExcluded } from '../../entries/excluded-values.js'
import { TtError } from '../../lib/errors.js'
import { fold, nearestNamesText } from '../../lib/text/nearest-names.js'
import type { ReportContext } from '../report/report-context.js'

const levels = ['project', 'client', 'task'] as const

type Level = (typeof levels)[number]

/**
 * Warns about filter values that match no project, client or task, with the nearest names, because a bill without them
 * looks complete. Excluded values may match nothing.
 *
 * @param count the number of entries that the filters match; only an empty result, or several values of one filter, can
 *   contain a value that matches nothing.
 */
export async function warnOfUnknownNames(
  ctx: ReportContext,
  options: Pick<EntryFilters, Level>,
  count: number,
): Promise<void> {
  const typed = levels
    .map((level) => ({ level, values: separateExcluded(options[level] ?? []).included }))
    .filter(({ values }) => values.length > (count === 0 ? 0 : 1))
  if (typed.length === 0) return
  const namesOf = await knownNames(ctx)
  if (!namesOf) return
  for (const { level, values } of typed) {
    const known = namesOf(level)
    for (const value of values) {
      if (known.some(({ id, name }) => String(id) === value || fold(name).includes(fold(value)))) continue
      const suggestion = nearestNamesText(
        value,
        known.map(({ name }) => name),
      )
      ctx.terminal.warn(`"${value}" matches no ${level}.${suggestion}`)
    }
  }
}

/**
 * Returns the projects, clients and tasks, including those without entries; undefined on errors, because the result of
 * the command is complete.
 */
async function knownNames(ctx: ReportContext): Promise<((level: Level) => Named[]) | undefined> {
  try {
    const links = await (await ctx.catalog()).links()
    const lists = await (await ctx.reference()).recent('catalog')
    // A service may name records only within its tasks.
    return (level) =>
      level === 'task'
        ? links.flatMap(({ id, task }) => (task ? { id, name: task.name } : []))
        : [...links.flatMap((link) => link[level] ?? []), ...lists[`${level}s`]]
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}
