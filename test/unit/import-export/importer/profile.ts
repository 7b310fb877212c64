import { onTestFinished } from 'vitest'
import { type SourceEntry, sourceEntry } from '../../../../src/import-export/import/format.js'
import {
  type CompareOptions,
  compare,
  type ExistingEntry,
} from '../../../../src/import-export/importer/compare.js'
import { Staging } from '../../../../src/import-export/importer/staging.js'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'

/** Returns an entry of a source on 1 May 2024. Times are "HH:MM"; the end is missing for a running entry. */
export function entry(times: string, given: Partial<SourceEntry> = {}): SourceEntry {
  const [start = '', end] = times.split('-')
  const timeOf = (clock: string) => new Date(`2024-05-01T${clock}:00Z`)
  return sourceEntry({
    ...{ line: 1, start: timeOf(start), end: end ? timeOf(end) : null },
    ...{ client: 'Acme', project: 'Website', task: 'Design' },
    ...given,
  })
}

/** Stages entries, assigns all combinations to task link 7, and completes the IDs. */
export async function stage(entries: readonly SourceEntry[]): Promise<Staging> {
  const database = await openSqlite(':memory:')
  onTestFinished(() => database.close())
  database.exec(memory)
  const staging = Staging.create(database, 'toggl')
  staging.add(entries)
  staging.completeIds()
  for (const { id } of staging.combinations())
    staging.assign(id, { kind: 'existing', id: 7, label: 'Acme / Website / Design' })
  return staging
}

/** Entries and the memory of earlier imports, as an import finds them. */
export class Profile {
  readonly existing: ExistingEntry[] = []
  /** Entries outside the period of the import. */
  readonly elsewhere: ExistingEntry[] = []
  /** What is remembered of earlier imports. */
  readonly #remembered = new Map<string, string>()

  /** Stages, compares and applies entries; returns them and their actions. */
  async import(entries: readonly SourceEntry[]) {
    const staging = await stage(entries)
    const actions = await this.compare(staging)
    await this.apply(staging)
    return { staging, actions }
  }

  /** Compares staged entries; returns their actions. */
  async compare(staging: Staging, options: Partial<CompareOptions> = {}): Promise<string[]> {
    const { existing, elsewhere } = this
    const insert = 'INSERT OR REPLACE INTO imported (external_id, content) VALUES (?, ?)'
    for (const row of this.#remembered) staging.database.prepare(insert).run(row)
    await compare(staging, {
      existing: (async function* () {
        yield existing
      })(),
      find: async (externalId) => elsewhere.find((found) => found.externalId === externalId),
      again: false,
      update: false,
      ...options,
    })
    const rows = staging.database
      .prepare(`SELECT action FROM ${staging.tables.entry} ORDER BY position`)
      .all() as { action: string }[]
    return rows.map(({ action }) => action)
  }

  /** Creates and updates what the staged actions say, and remembers it. */
  async apply(staging: Staging): Promise<void> {
    const rows = staging.database
      .prepare(`SELECT * FROM ${staging.tables.entry} WHERE action IN ('create', 'update')`)
      .all() as StagedRow[]
    for (const row of rows) {
      const values: ExistingEntry = {
        ...{ id: row.record ?? `${this.existing.length + 100}`, externalId: row.external_id },
        ...{ start: new Date(row.start_at), end: row.end_at === null ? null : new Date(row.end_at) },
        ...{ notes: row.notes, taskLink: 7 },
      }
      const index = this.existing.findIndex(({ id }) => id === row.record)
      if (index < 0) this.existing.push(values)
      else this.existing[index] = values
      this.#remembered.set(row.external_id, row.content)
    }
  }
}

const memory = `
  CREATE TABLE imported (external_id TEXT PRIMARY KEY, content TEXT, import TEXT, undone INTEGER DEFAULT 0);
  CREATE TABLE invoice (id TEXT PRIMARY KEY, cancels TEXT, body TEXT)`

interface StagedRow {
  external_id: string
  content: string
  record: string | null
  start_at: number
  end_at: number | null
  notes: string
}
