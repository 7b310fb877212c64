import type { Interval } from '../../lib/calendar/interval.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { ImportFormat, ReadOptions } from '../import/format.js'
import type { TextSource } from '../import/source/text-source.js'
import { type CompareOptions, compare } from './compare.js'
import { createPreview, type ImportPreview } from './preview.js'
import { type Reading, readSource, type SourceFilter } from './read-source.js'
import { Staging } from './staging.js'

export interface ImporterParts {
  source: TextSource
  format: ImportFormat
  options: ReadOptions
  filter?: SourceFilter
  /** The database of the profile. */
  database: Sqlite
  now: Date
  /** Receives the number of entries read so far, from time to time. */
  onProgress?(entries: number): void
}

/**
 * One import: the entries of a source, which are read, assigned to task links, compared with the profile and then applied.
 * Nothing of the profile changes before that.
 */
export class Importer {
  readonly staging: Staging
  readonly reading: Reading
  readonly #now: Date

  private constructor(staging: Staging, reading: Reading, now: Date) {
    this.staging = staging
    this.reading = reading
    this.#now = now
  }

  /**
   * Reads a source into new temporary tables. Throws TtError `usage` if the source as a whole cannot be read, and
   * AmbiguousDateOrderError.
   */
  static async read(parts: ImporterParts): Promise<Importer> {
    const { source, format, options, filter, database, now, onProgress } = parts
    const staging = Staging.create(database, format.name)
    try {
      const reading = await readSource(source, format, options, staging, filter, onProgress)
      return new Importer(staging, reading, now)
    } catch (error) {
      staging.close()
      throw error
    }
  }

  /** Returns the time from the first start to the last end of the entries; undefined without entries. */
  period(): Interval | undefined {
    const { first, last } = this.staging.database
      .prepare(
        `SELECT min(start_at) AS first, max(coalesce(end_at, ?)) AS last FROM ${this.staging.tables.entry}`,
      )
      .get([this.#now.getTime()]) as { first: number | null; last: number | null }
    if (first === null || last === null) return undefined
    // An entry that starts at the very end is part of it.
    return { start: new Date(first), end: new Date(Math.max(first, last) + 1) }
  }

  /** Compares the entries with those of the profile. */
  async compare(options: CompareOptions): Promise<void> {
    await compare(this.staging, options)
  }

  /** Whether the compared import starts a timer. */
  startsTimer(): boolean {
    const timer = this.staging.database
      .prepare(
        `SELECT 1 FROM ${this.staging.tables.entry}
         WHERE end_at IS NULL AND action IN ('create', 'update') LIMIT 1`,
      )
      .get()
    return timer !== undefined
  }

  /** Returns what the import would do. `links` are the task links of the profile. */
  preview(links: readonly Link[]): ImportPreview {
    return createPreview(this.staging, links, this.#now)
  }

  /** Removes what was staged. */
  close(): void {
    this.staging.close()
  }
}
