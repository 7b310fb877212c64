import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/entries.js'
import type { Entry } from '../tracking/entries/entry.js'
import { describeEntries, describeEntry, findEntries, quoteNotes, uniqueById } from './shared/find-entries.js'
import { confirmAndDelete } from './shared/prompts/delete-records.js'
import { pickEntry } from './shared/prompts/pick-entry.js'
import { entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Returns the deleted entries; undefined when the user declines. */
export async function run(
  ctx: Context,
  { args: { entry: references }, options: { pick } }: Input<typeof commands.rm>,
): Promise<Entry[] | undefined> {
  const { entries, entryWriter } = await ctx.tracker()
  const found = await findEntries(entries, references)
  const picked =
    pick || references.length === 0 ? [await pickEntry(ctx, 'Which entry should be deleted?')] : []
  const records = uniqueById([...found, ...picked])
  return confirmAndDelete(ctx, {
    records,
    describe: (entry) => `${describeEntry(ctx, entry)}${quoteNotes(entry.notes)}`,
    heading: `${records.length} entries: `,
    listing: ctx.terminal.confirmsSeveral
      ? { count: countText(records.length, 'entry', 'entries'), lines: describeEntries(ctx, records) }
      : undefined,
    remove: (confirmed) => entryWriter.remove(confirmed),
  })
}
