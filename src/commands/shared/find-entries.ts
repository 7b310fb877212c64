import type { Entries } from '../../tracking/entries/entries.js'
import type { Entry } from '../../tracking/entries/entry.js'

/**
 * Returns the entries without duplicates, in the order of their references. Throws TtError `not_found` or `usage` for the
 * first invalid reference, so that a command changes nothing before all entries are found.
 */
export async function findEntries(entries: Entries, references: readonly string[]): Promise<Entry[]> {
  const found: Entry[] = []
  for (const reference of references) found.push(await entries.find(reference))
  return uniqueById(found)
}

export function uniqueById<Item extends Pick<Entry, 'id'>>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [String(item.id), item])).values()]
}
