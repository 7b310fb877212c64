import type { Link } from '../../catalog/links.js'
import type { Context } from '../../cli/context.js'
import type { EntryFilters } from '../../entries/entry-filter.js'
import { TtError } from '../../lib/errors.js'
import { fold, nearestNamesText } from '../../lib/text/nearest-names.js'

const levels = ['project', 'client', 'task'] as const

/**
 * Warns about filter values that match no project, client or task, with the nearest names. For empty results.
 */
export async function warnOfUnknownNames(
  ctx: Context,
  options: Pick<EntryFilters, (typeof levels)[number]>,
): Promise<void> {
  if (levels.every((level) => options[level] === undefined)) return
  const links = await linksOf(ctx)
  if (links.length === 0) return
  for (const level of levels) {
    const known = links.flatMap((link) => link[level] ?? [])
    for (const value of options[level] ?? []) {
      if (value.startsWith('!')) continue
      const typed = value.replace(/^\\!/, '!')
      if (known.some(({ id, name }) => String(id) === typed || fold(name).includes(fold(typed)))) continue
      const suggestion = nearestNamesText(
        typed,
        known.map(({ name }) => name),
      )
      if (suggestion) ctx.terminal.warn(`"${typed}" matches no ${level}.${suggestion}`)
    }
  }
}

/** Returns the task links; none on errors, because the result of the command is complete. */
async function linksOf(ctx: Context): Promise<Link[]> {
  try {
    return await (await ctx.catalog()).links()
  } catch (error) {
    if (error instanceof TtError) return []
    throw error
  }
}
