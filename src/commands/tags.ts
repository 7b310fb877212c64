import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { dayOf } from '../lib/calendar/day.js'
import { toRfc3339 } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import { parseTag, replaceTags, tagsIn } from '../lib/text/tags.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/workspace.js'
import type { TagJson } from '../records/shapes/entries.js'
import type { Entries } from '../tracking/entries/entries.js'
import type { Entry } from '../tracking/entries/entry.js'
import { updateOf } from '../tracking/entries/entry-writer.js'
import type { View } from '../ui/view.js'
import { ReportQuery } from './report/report-query.js'
import { periodOf } from './shared/options/period-options.js'
import { checkFilterNames } from './shared/unknown-names.js'
import { entryView } from './views/entry.js'
import { emptyList } from './views/record.js'

type Commands = typeof commands.tags.commands

/** A tag with the entries in the period whose notes have it. */
interface TagRow extends Omit<TagJson, 'last_used'> {
  /** The start of the last of these entries. */
  lastUsed: Date
}

const tagView = (ctx: Context): View<TagRow> => ({
  columns: [
    { key: 'tag', title: 'Tag', canShrink: true, text: ({ tag }) => `#${tag}` },
    { key: 'count', title: 'Entries', align: 'right', isFigure: true },
    {
      key: 'seconds',
      title: 'Duration',
      align: 'right',
      text: ({ seconds }) => ctx.durations.format(seconds),
    },
    { key: 'last_used', title: 'Last used', text: ({ lastUsed }) => dayOf(lastUsed) },
  ],
  json: ({ lastUsed, ...row }): TagJson => ({ ...row, last_used: toRfc3339(lastUsed) }),
  empty: emptyList('tags', 'tt edit --append-notes "#tag"', 'adds one to the last entry'),
})

export const list = {
  allowsUnreadableSettings: true,
  view: tagView,
  async run(ctx: Context, input: Input<Commands['list']>): Promise<TagRow[]> {
    const { options } = input
    const days = periodOf(ctx, input)
    const query = await ReportQuery.create(ctx, { ...options, by: ['tag'] }, days)
    const tally = query.tally()
    const lastUses = new Map<string, Date>()
    for await (const entries of query.entries()) {
      for (const entry of entries) {
        tally.add(entry)
        for (const tag of tagsIn(entry.notes))
          if (entry.start > (lastUses.get(tag) ?? 0)) lastUses.set(tag, entry.start)
      }
    }
    const { count, groups } = query.report(tally)
    await checkFilterNames(ctx, options, count)
    return groups.flatMap(({ key, count, seconds }) => {
      const lastUsed = key === null ? undefined : lastUses.get(key)
      return key === null || !lastUsed ? [] : { tag: key, count, seconds, lastUsed }
    })
  },
}

export const rename = {
  canQueue: true,
  messageReplacesValue: true,
  view: (ctx: Context) => entryView(ctx),
  /** Returns the entries with the new tag; undefined if the user declines. */
  async run(ctx: Context, { args }: Input<Commands['rename']>): Promise<Entry[] | undefined> {
    const [from, to] = [parseTagName(args.tag), parseTagName(args.name)]
    const { entries, entryWriter } = await ctx.tracker()
    const found = await findTagged(entries, from)
    const [first, last] = [found[0]?.start, found.at(-1)?.start]
    if (!first || !last) throw new TtError('not_found', `No entry has the tag #${from}.`, { hint: listTags })
    const summary = `tag #${from} to #${to} in ${countText(found.length, 'entry', 'entries')}`
    if (!(await ctx.terminal.confirm(`Rename the ${summary}?`))) return undefined
    // Entries may have changed while the prompt was open.
    const changed = await entryWriter.rearrange(async (lookup) => {
      const current = await lookup.within({ start: first, end: new Date(last.getTime() + 1) })
      const steps = current
        .filter(({ notes }) => tagsIn(notes).includes(from))
        .map((entry) => updateOf(entry, { notes: renameTag(entry.notes, from, to) }))
      return { title: `Renamed the ${summary}`, steps }
    })
    ctx.terminal.message(`Renamed the ${summary}.`)
    return changed
  },
}

const listTags = 'Run `tt tags` to list the tags.'

/** Returns all entries with a tag, the earliest first. Throws TtError `unreachable` if only cached ones are known. */
async function findTagged(entries: Entries, tag: string): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const batch of entries.batches({}, {}, { isUnlimited: true }))
    found.push(...batch.filter(({ notes }) => tagsIn(notes).includes(tag)))
  if (entries.isFresh) return found.sort((one, other) => one.start.getTime() - other.start.getTime())
  throw new TtError('unreachable', 'The service cannot be reached, and only some entries are known here.', {
    hint: 'Nothing was changed. Repeat the command when you are online.',
  })
}

function renameTag(notes: string, from: string, to: string): string {
  return replaceTags(notes, (tag) => (tag.slice(1).toLowerCase() === from ? `#${to}` : tag))
}

/** Returns the tag in lower case. Throws TtError `usage` for text that cannot be a tag. */
function parseTagName(typed: string): string {
  const tag = parseTag(typed)
  if (tag !== undefined) return tag
  throw new TtError('usage', `"${typed}" is not a tag.`, {
    hint: 'A tag is one word of letters, digits, _ and -, with at least one letter.',
  })
}
