import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { runSql } from './database-files.js'
import { localTime, setUpForeignService } from './foreign-service-setup.js'

/** The entries at the service after the delivery of the pending changes, and those after everything is resolved. */
export const deliveredEntries = [
  { task: 'Design', notes: 'updated here', from: '08:00', to: '08:10' },
  { task: 'Design', notes: 'updated here', from: '08:10', to: '08:30' },
  { task: 'Design', notes: 'conflict elsewhere', from: '09:00', to: '09:30' },
  { task: 'Design', notes: 'executed', from: '13:00', to: '13:30' },
  { task: 'Design', notes: 'lost', from: '14:00', to: '14:30' },
  { task: 'Review', notes: 'created', from: '15:00', to: '15:30' },
]

/** The numbers of the changes in the state, and of those that remain after the delivery. */
export const changeNumbers = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16]
export const remainingNumbers = [5, 6, 7]

/**
 * Sets up a service with the records of `state-version-6.sql`, and a `tt` with that client state.
 *
 * @param more SQL that is executed in the state
 * @returns also the path of the client state
 */
export async function setUpPreviousState(more = '') {
  const setup = await setUpForeignService({
    openEntryResponse: { status: 422, body: '{"errors":{"time_end":["must be given"]}}' },
    ignores: ['keys'],
  })
  const { cli, otherCli } = setup
  otherCli.setTime(localTime('18:02:00'))
  for (const [from, to, notes] of [
    ['8:00', '8:30', 'updated'],
    ['9:00', '9:30', 'conflict elsewhere'],
    ['10:00', '10:30', 'deleted'],
    ['13:00', '13:30', 'executed'],
  ] as const)
    await otherCli.json('add', 'design', '--from', from, '--to', to, '-n', notes)
  await otherCli.json('expenses', 'add', '12.50', '--type', 'Travel')
  await cli.json('sync', 'list')
  const name = readdirSync(cli.home, { recursive: true })
    .map(String)
    .find((file) => file.endsWith('state.db'))
  const path = join(cli.home, name ?? '')
  for (const file of readdirSync(dirname(path)))
    if (file.startsWith('state.db')) rmSync(join(dirname(path), file))
  const dump = readFileSync(join(import.meta.dirname, 'state-version-6.sql'), 'utf8')
  await runSql(path, `BEGIN; ${dump}; ${more}; COMMIT`)
  return { ...setup, path }
}

/** Returns the version of the schema, and the findings of SQLite's integrity check. */
export async function inspectVersion(path: string): Promise<{ version: unknown; integrity: unknown }> {
  const database = await openSqlite(path)
  try {
    const [version, integrity] = ['user_version', 'integrity_check'].map((name) =>
      Object.values(database.prepare(`PRAGMA ${name}`).get() as object).at(0),
    )
    return { version, integrity }
  } finally {
    database.close()
  }
}
