import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SourceEntry } from '../../../../src/import-export/import/format.js'
import { type EntryAction, Staging } from '../../../../src/import-export/importer/staging.js'
import type { Sqlite } from '../../../../src/lib/sqlite/connection.js'
import { keptLog, openSqlite } from '../../../../src/lib/sqlite/open.js'
import { openWorkspaceState } from '../../../../src/outbox/cache/workspace-state.js'
import { History } from '../../../../src/outbox/history.js'
import { openLocalWorkspace } from '../../../../src/service/local-workspace.js'
import { temporaryDirectory } from '../../../support/process.js'
import { entry } from './profile.js'

export const importedAt = new Date('2024-05-08T12:00:00Z')

/** Returns an entry of a source that starts at this time on 2024-05-01 (UTC), with these differences. */
export function sourceEntry(time: string, differences: Partial<SourceEntry> = {}): SourceEntry {
  const running = entry(time)
  return { ...running, end: new Date(running.start.getTime() + 1_800_000), ...differences }
}

/** A staged entry: one of the source, what to do with it, and the ID of the entry to update. */
export type StagedEntry = SourceEntry & { action?: EntryAction; record?: number | string }

/**
 * Stages entries in a database, until it is closed. Combinations without a task link get one with the
 * names of the source.
 *
 * @param links the IDs of existing task links, by the name of the task
 */
export function stage(
  database: Sqlite,
  entries: readonly StagedEntry[],
  links: Record<string, number> = {},
): Staging {
  const staging = Staging.create(database, 'toggl')
  staging.add(entries.map((entry, at) => ({ ...entry, line: at + 2 })))
  staging.completeIds()
  for (const { id, client, project, task } of staging.combinations()) {
    const link = task === null ? undefined : links[task]
    if (link !== undefined) staging.assign(id, { kind: 'existing', id: link, label: String(task) })
    else if (project !== null && task !== null) staging.assign(id, { kind: 'new', client, project, task })
  }
  const setAction = database.prepare(
    `UPDATE ${staging.tables.entry} SET action = ?, record = ? WHERE position = ?`,
  )
  for (const [at, { action = 'create', record }] of entries.entries())
    setAction.run([action, record === undefined ? null : String(record), at + 1])
  return staging
}

export type TestProfile = Awaited<ReturnType<typeof newProfile>>

/** Opens a new local profile in a directory that is removed with the test. */
export async function newProfile() {
  const home = temporaryDirectory()
  const path = join(home, 'workspace.db')
  const database = await openSqlite(path, keptLog)
  const workspace = await openLocalWorkspace(database, { path, clock: () => importedAt })
  const state = await openWorkspaceState({
    ...{ database, path, formerPath: join(home, 'state.db'), migrateService: async () => {} },
  })
  onTestFinished(() => database.close())
  const imports = await workspace.imports()
  return { database, state, history: new History(state), workspace, imports }
}
