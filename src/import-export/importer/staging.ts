import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { contentExternalId, contentKey, fixedExternalId } from '../import/external-id.js'
import type { SourceEntry } from '../import/format.js'
import type { FormatName } from '../import/formats.js'
import { notesWithTags } from '../import/tag-notes.js'

/**
 * The temporary tables of one import, in the database of the profile: its entries, before and after they are compared with
 * the profile. Times are epoch milliseconds.
 *
 * - `combination`: what determines a task link. `names` is the JSON of [client, project, task, tags]; `entries` and
 *   `seconds` are the number and the total of its entries. A combination has a task link, or the names of one to create (`new_client` may be null), or neither.
 * - `entry.content` is equal for two versions of an entry whose content in the source is equal.
 * - `entry.action`: see `EntryAction`. `record` and `before` are the ID and the fields, as
 *   JSON, of the entry of the profile.
 * - `existing`: the entries of the profile in the period of the file.
 */
const schemaOf = ({ combination, entry, existing }: StagingTables) => `
  CREATE TEMP TABLE ${combination} (
    id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE, entries INTEGER NOT NULL DEFAULT 0, seconds INTEGER,
    task_link TEXT, label TEXT, new_client TEXT, new_project TEXT, new_task TEXT
  ) STRICT;
  CREATE TEMP TABLE ${entry} (
    position INTEGER PRIMARY KEY, line INTEGER NOT NULL, combination INTEGER NOT NULL,
    external_id TEXT NOT NULL, is_fixed_id INTEGER NOT NULL, content TEXT NOT NULL,
    start_at INTEGER NOT NULL, end_at INTEGER, notes TEXT NOT NULL,
    action TEXT NOT NULL DEFAULT 'create', record TEXT, before TEXT
  ) STRICT;
  CREATE TEMP TABLE ${existing} (
    id TEXT NOT NULL, external_id TEXT, start_at INTEGER NOT NULL, end_at INTEGER, notes TEXT NOT NULL,
    task_link TEXT, is_matched INTEGER NOT NULL DEFAULT 0
  ) STRICT`

/** The names of the tables of one import. */
export interface StagingTables {
  combination: string
  entry: string
  existing: string
}

let imports = 0

/** What the import does with an entry of the source. */
export type EntryAction =
  /** It is new. */
  | 'create'
  /** It was imported earlier, and is the same in the source. */
  | 'unchanged'
  /** It was imported earlier, and has changed in the source since. */
  | 'changed'
  /** Like `changed`; its entry is updated. */
  | 'update'
  /** It was imported earlier, and its entry was deleted since. */
  | 'deleted'
  /** Like `deleted`, but its entry is on an invoice: it would be billed again. */
  | 'invoiced'
  /** The profile has an equal entry that was not imported from this source. */
  | 'equal'
  /** It has no end, and another timer is running. */
  | 'second_timer'

/** The names in the source that determine a task link. */
export interface SourceNames {
  client: string | null
  project: string | null
  task: string | null
  /** Sorted. Empty if the entry has a project: its tags are only part of the notes. */
  tags: readonly string[]
}

/** Entries of the source with the same names. */
export interface Combination extends SourceNames {
  id: number
  entries: number
  /** The total of those that are not running. */
  seconds: number
  assignment: LinkAssignment | undefined
}

/** The task link of a combination, or the names of the one to create. */
export type LinkAssignment =
  | { kind: 'existing'; id: string | number; label: string }
  | { kind: 'new'; client: string | null; project: string; task: string }

/** An entry that has the ID of an earlier one in the source, but another content. */
export interface RepeatedId {
  externalId: string
  line: number
  /** The line of the first entry with that ID. */
  firstLine: number
}

/** The entries of one import in temporary tables, so that a source of any size needs little memory. */
export class Staging {
  readonly database: Sqlite
  readonly tables: StagingTables
  readonly #format: FormatName
  readonly #insertOne: SqliteStatement
  readonly #insertSeveral: SqliteStatement
  readonly #combinations = new Map<string, CombinationTotal>()
  #count = 0

  private constructor(database: Sqlite, tables: StagingTables, format: FormatName) {
    this.database = database
    this.tables = tables
    this.#format = format
    this.#insertOne = prepareInsert(this, 1)
    this.#insertSeveral = prepareInsert(this, rowsPerInsert)
  }

  /** Creates the temporary tables of an import. Throws TtError `failure` if they cannot be written. */
  static create(database: Sqlite, format: FormatName): Staging {
    const number = ++imports
    const nameOf = (table: string) => `import_${table}_${number}`
    const tables = {
      ...{ combination: nameOf('combination'), entry: nameOf('entry'), existing: nameOf('existing') },
    }
    database.deferred(() => database.exec(schemaOf(tables)))
    return new Staging(database, tables, format)
  }

  /** Changes the temporary tables in one transaction, which locks nothing. */
  change<Result>(work: () => Result): Result {
    return this.database.deferred(work)
  }

  /** The number of staged entries. */
  get count(): number {
    return this.#count
  }

  /** Adds entries in one transaction. */
  add(entries: readonly SourceEntry[]): void {
    this.change(() => {
      for (let next = 0; next < entries.length; next += rowsPerInsert) {
        const several = entries.slice(next, next + rowsPerInsert)
        if (several.length === rowsPerInsert)
          this.#insertSeveral.run(several.flatMap((entry) => this.#toRow(entry)))
        else for (const entry of several) this.#insertOne.run(this.#toRow(entry))
      }
    })
  }

  #toRow(entry: SourceEntry): unknown[] {
    const key = contentKey(entry)
    const fixedId = fixedExternalId(this.#format, entry)
    const [start, end] = [entry.start.getTime(), entry.end?.getTime() ?? null]
    this.#count++
    const combination = this.#combinationOf(entry)
    combination.entries++
    combination.milliseconds += end === null ? 0 : end - start
    return [
      this.#count,
      entry.line,
      combination.id,
      fixedId ?? contentExternalId(this.#format, key, 1),
      fixedId === undefined ? 0 : 1,
      `${key} ${end ?? ''}`,
      start,
      end,
      notesWithTags(entry),
    ]
  }

  #combinationOf({ client, project, task, tags }: SourceEntry): CombinationTotal {
    const names = JSON.stringify([client, project, task, project === null ? tags.toSorted() : []])
    const known = this.#combinations.get(names)
    if (known) return known
    const added = { id: this.#combinations.size + 1, entries: 0, milliseconds: 0 }
    this.#combinations.set(names, added)
    this.database
      .prepare(`INSERT INTO ${this.tables.combination} (id, names) VALUES (?, ?)`)
      .run([added.id, names])
    return added
  }

  /**
   * Completes the external IDs after the last entry: of equal entries without an ID of their own, the second becomes
   * `ID.2`, and so on. Of entries with the same ID in the source, only the first remains. Returns the number of removed
   * entries with the same content, and those with another content.
   */
  completeIds(): { repeatedEntries: number; repeatedIds: RepeatedId[] } {
    const { database, tables } = this
    const { entry } = tables
    return this.change(() => {
      database.exec(
        `CREATE INDEX temp.${entry}_external ON ${entry} (external_id);
         CREATE TEMP TABLE repeated AS SELECT position, external_id, row_number() OVER ids AS number,
           first_value(position) OVER ids AS first FROM ${entry}
         WHERE external_id IN (SELECT external_id FROM ${entry} GROUP BY external_id HAVING count(*) > 1)
         WINDOW ids AS (PARTITION BY external_id ORDER BY position);
         UPDATE ${entry} AS entry SET external_id = entry.external_id || '.' || repeated.number FROM repeated
           WHERE repeated.position = entry.position AND repeated.number > 1 AND is_fixed_id = 0`,
      )
      const removed = this.#removeRepeated()
      database.exec('DROP TABLE repeated')
      this.#storeTotals()
      const different = removed.filter(({ is_same }) => is_same === 0)
      return {
        repeatedEntries: removed.length - different.length,
        repeatedIds: different.map(({ external_id, line, first_line }) => ({
          externalId: external_id,
          line,
          firstLine: first_line,
        })),
      }
    })
  }

  /** Removes the entries with the ID of an earlier one in the source, and returns them. */
  #removeRepeated(): RepeatedRow[] {
    const rows = this.database
      .prepare(
        `SELECT entry.position, entry.combination, coalesce(entry.end_at - entry.start_at, 0) AS milliseconds,
           entry.external_id, entry.line, first.line AS first_line, entry.content = first.content AS is_same
         FROM repeated JOIN ${this.tables.entry} AS entry ON entry.position = repeated.position
           JOIN ${this.tables.entry} AS first ON first.position = repeated.first
         WHERE repeated.number > 1 AND entry.is_fixed_id = 1 ORDER BY entry.position`,
      )
      .all() as RepeatedRow[]
    const remove = this.database.prepare(`DELETE FROM ${this.tables.entry} WHERE position = ?`)
    const totals = new Map([...this.#combinations.values()].map((total) => [total.id, total]))
    for (const { position, combination, milliseconds } of rows) {
      remove.run([position])
      const total = totals.get(combination)
      if (!total) continue
      total.entries--
      total.milliseconds -= milliseconds
    }
    this.#count -= rows.length
    return rows
  }

  #storeTotals() {
    const update = this.database.prepare(
      `UPDATE ${this.tables.combination} SET entries = ?, seconds = ? WHERE id = ?`,
    )
    for (const { id, entries, milliseconds } of this.#combinations.values())
      update.run([entries, Math.floor(milliseconds / 1000), id])
  }

  /** Removes entries by their positions. */
  remove(positions: readonly number[]): void {
    const remove = this.database.prepare(
      `DELETE FROM ${this.tables.entry} WHERE position IN (SELECT value FROM json_each(?))`,
    )
    this.change(() => remove.run([JSON.stringify(positions)]))
    this.#count -= positions.length
  }

  /** Returns the combinations of names, those with the most entries first. */
  combinations(): Combination[] {
    const rows = this.database
      .prepare(`SELECT * FROM ${this.tables.combination} WHERE entries > 0 ORDER BY entries DESC, id`)
      .all() as CombinationRow[]
    return rows.map(toCombination)
  }

  /** Assigns a task link to a combination, or removes it. */
  assign(combinationId: number, assignment: LinkAssignment | undefined): void {
    const { id, label } = assignment?.kind === 'existing' ? assignment : { id: null, label: null }
    const created = assignment?.kind === 'new' ? assignment : { client: null, project: null, task: null }
    const update = this.database.prepare(
      `UPDATE ${this.tables.combination}
       SET task_link = ?, label = ?, new_client = ?, new_project = ?, new_task = ? WHERE id = ?`,
    )
    const values = [
      id === null ? null : JSON.stringify(id),
      label,
      created.client,
      created.project,
      created.task,
    ]
    this.change(() => update.run([...values, combinationId]))
  }

  /** Removes the temporary tables. */
  close(): void {
    const drop = Object.values(this.tables).map((name) => `DROP TABLE IF EXISTS temp.${name}`)
    this.change(() => this.database.exec(drop.join(';')))
  }
}

/** Rows of one INSERT: each call of the driver takes longer than the row itself. */
const rowsPerInsert = 100

function prepareInsert({ database, tables }: Staging, rows: number): SqliteStatement {
  const values = Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')
  return database.prepare(
    `INSERT INTO ${tables.entry} (position, line, combination, external_id, is_fixed_id, content, start_at, end_at, notes)
     VALUES ${values}`,
  )
}

/** The number and the duration of the entries of a combination. */
interface CombinationTotal {
  id: number
  entries: number
  milliseconds: number
}

interface RepeatedRow {
  position: number
  combination: number
  milliseconds: number
  external_id: string
  line: number
  first_line: number
  is_same: number
}

interface CombinationRow {
  id: number
  names: string
  task_link: string | null
  label: string | null
  new_client: string | null
  new_project: string | null
  new_task: string | null
  entries: number
  seconds: number
}

function toCombination(row: CombinationRow): Combination {
  const [client, project, task, tags] = JSON.parse(row.names) as [
    string | null,
    string | null,
    string | null,
    string[],
  ]
  const { id, entries, seconds } = row
  return { id, client, project, task, tags, entries, seconds, assignment: assignmentOf(row) }
}

function assignmentOf(row: CombinationRow): LinkAssignment | undefined {
  const { task_link: link, label, new_client: client, new_project: project, new_task: task } = row
  if (link !== null)
    return { kind: 'existing', id: JSON.parse(link) as string | number, label: label ?? link }
  return project !== null && task !== null ? { kind: 'new', client, project, task } : undefined
}
