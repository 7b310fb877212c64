import { existsSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import { workspacePath } from '../../config/paths.js'
import { errorMessage, TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { isBrokenLink } from '../../lib/sqlite/database-errors.js'
import { countText } from '../../lib/text/words.js'
import type { commands } from '../../program/declarations/admin.js'
import type { DatabaseBackupJson } from '../../records/shapes/admin.js'
import { chooseTarget } from '../shared/backup-target.js'
import { recordView } from '../views/record.js'

type DatabaseBackupRecord = DatabaseBackupJson

export const view = recordView<DatabaseBackupRecord>(
  { file: 'File', bytes: 'Bytes', users: 'Users', entries: 'Entries', expenses: 'Expenses' },
  '',
)
export const messageReplacesValue = true

/**
 * Saves a copy of a SQLite database while it may be served; prompts before it replaces a file. The audit log of the
 * database and of the copy contains the command, because the copy contains personal data.
 */
export async function run(
  ctx: Context,
  { args: { file }, options: { database } }: Input<typeof commands.admin.commands.backup>,
): Promise<DatabaseBackupRecord | undefined> {
  const source = await sourcePath(ctx, database)
  const name = `${basename(source, extname(source))}-backup`
  const target = await chooseTarget(ctx, file, { name, extension: '.db' })
  if (target === undefined) return undefined
  const { saveDatabase } = await import('../../backup/database-backup.js')
  const { recordInFile } = await import('../../service/admin/audit-log.js')
  const record = async (database: Sqlite) => {
    try {
      await recordInFile(database, { command: `backup ${target}`, clock: ctx.host.now })
    } catch (error) {
      // A database on a disk that is full or cannot be written needs a backup most.
      ctx.terminal.warn(`The audit log does not contain this backup: ${errorMessage(error)}`)
    }
  }
  const progress = ctx.terminal.withProgress(() => 'Saving …')
  const contents = await saveDatabase(source, target, record).finally(() => progress.end())
  const { users, entries, expenses, hasHistory } = contents
  const counts = [
    countText(users, 'user'),
    countText(entries, 'entry', 'entries'),
    countText(expenses, 'expense'),
  ]
  ctx.terminal.message(
    `Saved ${target}: ${counts.join(', ')}. It contains hashes of passwords and tokens${hasHistory ? ', and the history of changes on this machine' : ''}.`,
  )
  return { file: target, bytes: statSync(target).size, users, entries, expenses }
}

/** Returns the path of the database. Throws TtError `usage` for PostgreSQL, `not_found` if there is no file. */
async function sourcePath({ config }: Context, location: string | undefined): Promise<string> {
  if (location === undefined) return existing(workspacePath(config.paths))
  const { parseLocation } = await import('../../service/storage/location.js')
  const parsed = parseLocation(location)
  if (parsed.kind === 'sqlite') return existing(parsed.path)
  throw new TtError('usage', 'tt cannot back up a PostgreSQL database.', {
    hint: 'Use the tools of PostgreSQL: `pg_dump --format=custom --file=tt.dump DATABASE` while it is in use, and `pg_restore` to restore it.',
  })
}

function existing(path: string): string {
  // Opening a broken link reports it.
  if (existsSync(path) || isBrokenLink(path)) return path
  throw new TtError('not_found', `There is no database ${path}.`, {
    hint: 'Use --database to name another one.',
  })
}
