import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { openWorkspaceState } from '../../src/outbox/cache/workspace-state.js'
import { createSqliteQueries } from '../../src/service/storage/sqlite.js'
import { migrate } from '../../src/service/storage/storage.js'

/** Commands that create the local workspace. */
const creating = new Set(['add', 'admin', 'expenses', 'import', 'start'])

let template: Promise<string> | undefined

/**
 * Runs a command that creates the local workspace in an empty home with a copy of an empty database instead, because
 * creating its tables takes longer than most commands. Removes the copy if the command does not use it.
 */
export async function withTables<Result>(
  home: string,
  argv: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (!creating.has(argv[0] ?? '') || readdirSync(home).some((name) => name !== 'config.json')) return work()
  const path = join(home, 'workspace.db')
  template ??= createTemplate()
  copyFileSync(await template, path)
  const { mtimeMs } = statSync(path)
  const result = await work()
  if (existsSync(path) && statSync(path).mtimeMs === mtimeMs && !existsSync(`${path}-wal`)) rmSync(path)
  return result
}

async function createTemplate(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tt-tables-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'workspace.db')
  const database = await openSqlite(path)
  const migrateService = () => migrate(createSqliteQueries(database), path)
  await openWorkspaceState({ database, path, formerPath: join(directory, 'none'), migrateService })
  await migrateService()
  database.close()
  return path
}
