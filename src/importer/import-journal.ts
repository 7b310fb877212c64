import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ClientState } from '../cache/client-state.js'
import { withLock } from '../lib/lock.js'
import { syncDirectory } from '../lib/private-file.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { History } from '../outbox/history.js'
import { importIdOf, importLockPath, isAbandoned, removeStaging, stagingFilesIn } from './staging-files.js'

/** An import into the local workspace, as the client state has it. */
export interface JournalEntry {
  /** A UUID. */
  id: string
  /** Its title in the history: "import of toggl.csv, 1,204 entries". */
  title: string
  /** The number of entries that it creates or updates. */
  entries: number
  /** The path of its staging file. */
  stagingPath: string
  at: Date
}

interface ImportRow {
  id: string
  title: string
  entries: number
  staging: string
  at: number
}

/** Returns the IDs of the imports that a workspace has applied. */
export type AppliedIds = () => Promise<Set<string>>

/**
 * The imports into the local workspace, which are in two databases: the table `import` of the client state says what an
 * import is going to do before the workspace does it, so that a later process can complete or drop it.
 */
export class ImportJournal {
  readonly #state: ClientState
  readonly #directory: string
  readonly #history: History

  /** @param directory the directory of the staging files of the profile */
  constructor(state: ClientState, directory: string) {
    this.#state = state
    this.#directory = directory
    this.#history = new History(state)
  }

  /** Records an import before it is applied, on the disk: a power cut must not lose the record, but keep the entries. */
  begin({ id, title, entries, stagingPath, at }: JournalEntry): void {
    const { database } = this.#state
    syncDirectory(dirname(stagingPath))
    database.exec('PRAGMA synchronous = FULL')
    database.transaction(() =>
      database
        .prepare(
          "INSERT INTO import (id, title, entries, state, staging, at) VALUES (?, ?, ?, 'waiting', ?, ?)",
        )
        .run([id, title, entries, nameOf(stagingPath), at.getTime()]),
    )
  }

  /**
   * Records that an import is applied: in the history, in the memory of imported entries and in the table `import`. Call it
   * within a transaction, with the staging file attached as `staging` if it still exists.
   */
  complete({ id, title, at }: JournalEntry, hasStaging: boolean): void {
    const { database } = this.#state
    if (hasStaging) rememberEntries(database, id)
    this.#history.discardRedoable()
    this.#history.record(title, [], at, { importId: id })
    database.prepare("UPDATE import SET state = 'done' WHERE id = ?").run([id])
  }

  /** Returns an import that is recorded but may not be applied; undefined if it is complete or was dropped. */
  waiting(id: string): JournalEntry | undefined {
    return this.#waiting().find((entry) => entry.id === id)
  }

  /** Removes the record of an import that was not applied. */
  drop(id: string): void {
    this.#state.atomically(() => this.#state.database.prepare('DELETE FROM import WHERE id = ?').run([id]))
  }

  /** Returns the path of the staging file of an import; undefined if it no longer exists. */
  stagingPath(id: string): string | undefined {
    const row = this.#state.database.prepare('SELECT staging FROM import WHERE id = ?').get([id]) as
      | { staging: string }
      | undefined
    const path = row && join(this.#directory, row.staging)
    return path !== undefined && existsSync(path) ? path : undefined
  }

  /**
   * Completes or drops the imports of processes that were ended, and adapts the history where only the workspace has
   * undone or redone an import. Waits for a running process that applies an import.
   */
  async settle(appliedIds: AppliedIds): Promise<void> {
    if (this.#waiting().length > 0) await this.locked(() => this.#settleWaiting(appliedIds))
    await this.#adaptHistory(appliedIds)
  }

  /** Runs `work` while no other process of the profile saves, applies or settles imports. */
  locked<Result>(work: () => Promise<Result>): Promise<Result> {
    return withLock(importLockPath(this.#directory), work)
  }

  async #settleWaiting(appliedIds: AppliedIds) {
    for (const { id, stagingPath } of this.#waiting()) {
      const hasStaging = existsSync(stagingPath)
      const isDropped = await this.exclusively(stagingPath, async (attach) => {
        const entry = this.waiting(id)
        if (!entry) return false
        const isApplied = (await appliedIds()).has(id)
        if (isApplied && hasStaging) attach()
        if (isApplied) this.complete(entry, hasStaging)
        else this.drop(id)
        return !isApplied
      })
      if (isDropped) removeStaging(stagingPath)
    }
  }

  /**
   * Removes the records of imports that can be neither undone nor redone any more with their staging files, and the files
   * of processes that were ended before they recorded an import.
   */
  removeUnused(): void {
    const { database } = this.#state
    const removed = this.#state.atomically(
      () =>
        database
          .prepare(
            `DELETE FROM import WHERE state = 'done' AND id NOT IN
               (SELECT import FROM history WHERE import IS NOT NULL AND undone IN (0, 2)) RETURNING staging`,
          )
          .all() as { staging: string }[],
    )
    for (const { staging } of removed) removeStaging(join(this.#directory, staging))
    const rows = database.prepare('SELECT id FROM import').all() as { id: string }[]
    const known = new Set(rows.map(({ id }) => id))
    for (const path of stagingFilesIn(this.#directory))
      if (!known.has(importIdOf(path)) && isAbandoned(path)) removeStaging(path)
  }

  /**
   * Runs `work` in a transaction of the client state. `attach` attaches the staging file as `staging`: within the
   * transaction, which therefore does not lock it, after the workspace has used it.
   */
  async exclusively<Result>(
    stagingPath: string,
    work: (attach: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { database } = this.#state
    let isAttached = false
    const attach = () => {
      database.prepare('ATTACH ? AS staging').run([stagingPath])
      isAttached = true
    }
    try {
      return await this.#state.exclusively(() => work(attach))
    } finally {
      if (isAttached) database.exec('DETACH staging')
    }
  }

  #waiting(): JournalEntry[] {
    const rows = this.#state.database
      .prepare("SELECT id, title, entries, staging, at FROM import WHERE state = 'waiting' ORDER BY at")
      .all() as ImportRow[]
    return rows.map(({ staging, at, ...row }) => ({
      ...row,
      stagingPath: join(this.#directory, staging),
      at: new Date(at),
    }))
  }

  async #adaptHistory(appliedIds: AppliedIds) {
    const read = async () => {
      const rows = this.#state.database
        .prepare(
          `SELECT seq, undone, import.id FROM history JOIN import ON import.id = history.import
           WHERE undone IN (0, 2) AND state = 'done'`,
        )
        .all() as { seq: number; undone: number; id: string }[]
      if (rows.length === 0) return []
      const applied = await appliedIds()
      return rows.filter(({ id, undone }) => applied.has(id) !== (undone === 0))
    }
    if ((await read()).length === 0) return
    await this.#state.exclusively(async () => {
      // Another process may be between its two transactions: the first one locks this state.
      for (const { seq, undone } of await read())
        this.#history.setState(seq, undone === 0 ? 'undone' : 'done')
    })
  }
}

/**
 * Remembers the entries that an import creates or updates, so that a later import recognizes them. Call it within a
 * transaction, with the staging file attached as `staging`. An updated entry belongs to the import that created it.
 */
export function rememberEntries(database: Sqlite, importId: string): void {
  const remember = (action: 'create' | 'update', change: string) =>
    database
      .prepare(
        `INSERT INTO imported (external_id, content, import)
         SELECT external_id, content, ? FROM staging.entry WHERE action = '${action}' ORDER BY external_id
         ON CONFLICT (external_id) DO UPDATE SET content = excluded.content, undone = 0${change}`,
      )
      .run([importId])
  remember('create', ', import = excluded.import')
  remember('update', '')
}

/** Forgets the contents of entries whose update was undone: the next import compares their fields. */
export function forgetContents(database: Sqlite, externalIds: readonly string[]): void {
  if (externalIds.length === 0) return
  database
    .prepare("UPDATE imported SET content = '' WHERE external_id IN (SELECT value FROM json_each(?))")
    .run([JSON.stringify(externalIds)])
}

function nameOf(stagingPath: string): string {
  return `${importIdOf(stagingPath)}.db`
}
