import { TtError } from '../../lib/errors.js'
import { fold, nearestNames, suggestionText } from '../../lib/text/nearest-names.js'
import type { EntryFilterOptions } from '../../program/options/entry-filters.js'
import type { Named } from '../../tracking/catalog/catalog.js'
import { separateExcluded } from '../../tracking/entries/excluded-values.js'
import type { ReportContext } from '../report/report-query.js'

const levels = ['project', 'client', 'task'] as const

type Level = (typeof levels)[number]

/** A filter value that matches nothing. */
interface UnknownName {
  message: string
  candidates: readonly string[]
}

/** Returns the message on a filter value that matches no `kind`. */
export function unknownName(value: string, kind: string, names: readonly string[]): UnknownName {
  const candidates = nearestNames(value, names)
  return { message: `"${value}" matches no ${kind}.${suggestionText(candidates)}`, candidates }
}

/** Prints warnings of filter values that match nothing; throws TtError `usage` for a command that writes a file. */
export function rejectUnknownNames(
  { terminal }: Pick<ReportContext, 'terminal'>,
  { output }: { output?: string },
  unknown: readonly UnknownName[],
): void {
  if (unknown.length > 0 && output !== undefined && output !== '-') {
    throw new TtError('usage', unknown.map(({ message }) => message).join(' '), {
      hint: 'No file was written.',
      candidates: unknown.flatMap(({ candidates }) => candidates),
    })
  }
  for (const { message } of unknown) terminal.warn(message)
}

/**
 * Warns about filter values that match no project, client or task, with the nearest names, because a bill without them
 * looks complete. Throws TtError `usage` instead for a command that writes a file. Excluded values may match nothing.
 *
 * @param count the number of entries that the filters match; only an empty result, or several values of one filter, can
 *   contain a value that matches nothing.
 */
export async function checkFilterNames(
  ctx: ReportContext,
  options: Pick<EntryFilterOptions, Level> & { output?: string },
  count: number,
): Promise<void> {
  const typed = levels
    .map((level) => ({ level, values: separateExcluded(options[level] ?? []).included }))
    .filter(({ values }) => values.length > (count === 0 ? 0 : 1))
  if (typed.length === 0) return
  const namesOf = await knownNames(ctx)
  if (!namesOf) return
  const unknown = typed.flatMap(({ level, values }) => {
    const known = namesOf(level)
    return values
      .filter(
        (value) => !known.some(({ id, name }) => String(id) === value || fold(name).includes(fold(value))),
      )
      .map((value) => {
        const names = known.map(({ name }) => name)
        return unknownName(value, level, names)
      })
  })
  rejectUnknownNames(ctx, options, unknown)
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
