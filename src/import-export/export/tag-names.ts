import { tagsIn } from '../../lib/text/tags.js'
import { pathOf } from '../../tracking/catalog/links.js'
import type { ExportedEntry } from './export-format.js'

/** Returns the tags of an entry where a format has tags only: its client, project and task, and the tags in its notes. */
export function namesAndTags({ link, notes }: ExportedEntry): string[] {
  return [...new Set([...(link ? pathOf(link) : []), ...tagsIn(notes)])]
}
