import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import { taskView } from '../../commands/views/workspace.js'
import { matchInsideWords, matchNames } from '../../lib/text/match-names.js'
import { nearestNamesText } from '../../lib/text/nearest-names.js'
import { type Link, pathOf } from '../../tracking/catalog/links.js'

export const allowsUnreadableSettings = true
export const view = taskView

/** Returns the active tasks that match the text: like typed names, or else anywhere in a name. */
export async function run(
  ctx: Context,
  { options: { text = '' } }: Input<{ options: { '--text <text>': string } }>,
): Promise<Link[]> {
  const active = (await (await ctx.catalog()).links()).filter((link) => link.active)
  if (text.trim() === '') return active
  const matches = matchesOf(text, active)
  if (matches.length === 0) {
    const nearest = nearestNamesText(
      text,
      active.flatMap((link) => [...pathOf(link), link.label]),
    )
    ctx.terminal.message(`"${text}" matches no task.${nearest} Without text, tasks_find lists all.`)
  }
  return matches
}

function matchesOf(text: string, links: readonly Link[]): Link[] {
  const byId = links.filter((link) => String(link.id) === text.trim())
  if (byId.length > 0) return byId
  const matches = matchNames(text, links, pathOf)
  return matches.length > 0 ? matches : matchInsideWords(text, links, pathOf)
}
