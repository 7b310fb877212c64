import { hash } from 'node:crypto'
import type { SourceEntry } from './format.js'
import type { FormatName } from './formats.js'

/**
 * The external IDs of imported entries.
 *
 * - An entry with an ID in its source: `FORMAT/ID`. If the whole text is longer than services accept, the ID is replaced by
 *   its hash.
 * - Any other entry: `FORMAT/HASH`, where HASH is that of `contentKey`. Of n entries with the same key in one file, the
 *   second has the ID `FORMAT/HASH.2`, and so on: importing the same n entries again yields the same n IDs, in whatever
 *   order and position they are. Each file counts from 1, because every export contains all equal entries of its period.
 * - An entry that another workspace of this program exported with an external ID has that ID.
 */
export class ExternalIds {
  // 100 bytes for each entry. An import that stores its entries in a table can count the keys there instead.
  readonly #format: FormatName
  readonly #counts = new Map<string, number>()

  /** Creates the IDs of one file. */
  constructor(format: FormatName) {
    this.#format = format
  }

  /** Returns the external ID of the next entry of the file. */
  next(entry: SourceEntry): string {
    const id = fixedExternalId(this.#format, entry)
    if (id !== undefined) return id
    const key = contentKey(entry)
    const ordinal = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, ordinal)
    return contentExternalId(this.#format, key, ordinal)
  }
}

/** Upper bound for the length of external IDs. */
const maxLength = 255

/** Returns the external ID of an entry that has an ID; otherwise undefined. */
export function fixedExternalId(format: FormatName, entry: SourceEntry): string | undefined {
  if (entry.externalId !== null) return entry.externalId
  if (entry.sourceId === null) return undefined
  const id = `${format}/${entry.sourceId}`
  return id.length <= maxLength ? id : `${format}/${shortHash(entry.sourceId)}`
}

/** Returns the external ID of the entry with this content; `ordinal` counts the equal entries of a file from 1. */
export function contentExternalId(format: FormatName, key: string, ordinal: number): string {
  return ordinal === 1 ? `${format}/${key}` : `${format}/${key}.${ordinal}`
}

/**
 * Returns the hash of what identifies an entry without an ID: its start, names, notes, tags and user. The order of tags does
 * not count.
 *
 * The end does not count, so that an entry that was running in one export is the same in the next one. Amounts and billable
 * marks do not count either: they change afterwards and are missing from some exports. An entry without a time of day is
 * identified by its day and duration, because its start depends on the other entries of the file.
 */
export function contentKey(entry: SourceEntry): string {
  const { start, end, placedOn, client, project, task, notes, tags, person } = entry
  const times =
    placedOn === null ? [start.getTime()] : [placedOn, end && (end.getTime() - start.getTime()) / 1000]
  return shortHash(
    JSON.stringify([times, client, project, task, notes, tags.length > 1 ? tags.toSorted() : tags, person]),
  )
}

/** Returns 22 characters: 132 bits of a SHA-256 hash. */
function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}
