import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runSql } from './database-files.js'

/**
 * The dumps of a local workspace in two files, as tt wrote it before the tables of the client moved into `workspace.db`
 * (service version 18, state version 10): two entries, a deleted one, a renamed project, an import, an undone import, and
 * a running timer.
 */
const directory = join(import.meta.dirname, 'former-workspace')

/** The titles of its changes that can be undone, the latest first. */
export const formerTitles = [
  'Started Acme / Site / Design at 2024-05-04 09:00',
  'import of toggl.csv, 2 entries',
  'Renamed the project Acme/Website to Acme/Site',
  'Deleted Acme / Website / Review',
  'Added Acme / Website / Review, 2024-05-01 11:00',
  'Changed Acme / Website / Design (notes)',
  'Added Acme / Website / Design, 2024-05-01 10:00',
  'Added Acme / Website / Design, 2024-05-01 09:00',
]

/** The notes of its entries, by their starts. */
export const formerNotes = ['first', 'second, edited', 'imported one', 'imported two', 'running']

export const formerState = join('profiles', 'local', 'state.db')

/** Writes the two files of the former workspace into a home, or a directory of a backup. */
export async function writeFormerWorkspace(home: string, more: { workspace?: string; state?: string } = {}) {
  for (const [name, path, statements] of [
    ['workspace', 'workspace.db', more.workspace],
    ['state', formerState, more.state],
  ] as const) {
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 })
    const dump = readFileSync(join(directory, `${name}.sql`), 'utf8')
    const sql = `PRAGMA foreign_keys = OFF; BEGIN; ${dump}; COMMIT; ${statements ?? ''}`
    await runSql(join(home, path), sql)
  }
}
