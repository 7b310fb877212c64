import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { readRows, runSql } from '../support/database-files.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { createTestCli } from '../support/test-cli.js'
import { email, password } from './login-fixtures.js'

/** Creates a `TestCli` with the database team.db: two users, of whom one has a password, and ten entries. */
const createTeamCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  const database = ['--database', `sqlite:${join(cli.home, 'team.db')}`]
  await cli.runWithInput(`${password}\n`, 'admin', 'user', 'add', email, '--password-stdin', ...database)
  await cli.json('admin', 'user', 'add', 'bob@example.com', ...database)
  await cli.json('admin', 'seed', '--entries', '10', ...database)
})

const tables = ['users', 'tokens', 'time_entries', 'expenses', 'projects', 'task_links', 'company']

describe('tt admin backup', () => {
  test('saves a complete copy, which can be served, and is recorded in the audit log of both', {
    tags: 'slow',
  }, async () => {
    const cli = await createTeamCli()
    const team = join(cli.home, 'team.db')
    const copy = join(cli.home, 'copy.db')
    const saved = await cli.json('admin', 'backup', copy, '--database', `sqlite:${team}`)
    expect(saved).toMatchObject({ file: copy, bytes: statSync(copy).size, users: 2, entries: 10 })
    for (const table of tables)
      expect(await readRows(copy, `SELECT * FROM ${table}`)).toEqual(
        await readRows(team, `SELECT * FROM ${table}`),
      )
    expect(await readRows(copy, 'SELECT password FROM users WHERE password IS NOT NULL')).toHaveLength(1)
    expect(await cli.json('admin', 'user', 'list', '--database', `sqlite:${copy}`)).toHaveLength(2)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    for (const database of [team, copy]) {
      const log = await cli.json<object[]>('admin', 'audit', '--database', `sqlite:${database}`)
      expect(log.at(-1)).toMatchObject({ event: 'admin_command', details: `backup ${copy}` })
    }
  })

  test('saves the local workspace by default, with the date in the name', async () => {
    const cli = createTestCli('2024-05-03T18:00:00')
    await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '1h')
    const file = join(cli.home, 'workspace-backup-2024-05-03-180000.db')
    const saved = await cli.run('admin', 'backup')
    expect(saved.status).toBe(0)
    expect(saved.stderr).toBe(
      `Saved ${file}: 1 user, 1 entry, 0 expenses. It contains hashes of passwords and tokens, and the history of changes on this machine.\n`,
    )
    expect(readdirSync(cli.home).filter((name) => name.includes('backup-'))).toEqual([basename(file)])
  })

  test.each([
    ['keeps the schema of an older version, which has no audit log', 'DROP TABLE audit_log', ''],
    [
      'warns when the database cannot be written',
      "CREATE TRIGGER fail BEFORE INSERT ON audit_log BEGIN SELECT raise(abort, 'is read-only'); END",
      'The audit log does not contain this backup: ',
    ],
  ])('%s', async (_, statement, warning) => {
    const cli = await createTeamCli()
    const team = join(cli.home, 'team.db')
    await runSql(team, statement)
    const tables = 'SELECT name, sql FROM sqlite_master'
    const before = await readRows(team, tables)
    const saved = await cli.run('admin', 'backup', 'copy.db', '--database', `sqlite:${team}`)
    expect(saved).toMatchObject({ status: 0, stderr: expect.stringContaining(warning) })
    expect(saved.stderr.includes('audit log')).toBe(warning !== '')
    expect(await readRows(team, tables)).toEqual(before)
  })
})

test.each<[what: string, location: string, status: number, message: string]>([
  ['PostgreSQL, and names pg_dump', 'postgres://ada:secret@localhost/tt', 2, 'pg_dump --format=custom'],
  ['a missing database', 'sqlite:missing.db', 3, 'There is no database'],
  ['another location', 'mysql://localhost', 2, 'is not a database location'],
  ['a client state', 'sqlite:HOME/profiles/acme/state.db', 2, 'is not the database of a service'],
  ['a text', 'sqlite:HOME/text.db', 1, 'is damaged or is not a database'],
  ['a link to a missing disk', 'sqlite:HOME/link.db', 1, 'symbolic link'],
])('tt admin backup refuses %s', async (_, location, status, message) => {
  const cli = createTestCli()
  await cli.json('start', 'Website/Design')
  ;(await openClientState(join(cli.home, 'profiles/acme/state.db'))).close()
  writeFileSync(join(cli.home, 'text.db'), 'text '.repeat(1000))
  symlinkSync(join(cli.home, 'missing', 'file.db'), join(cli.home, 'link.db'))
  const before = readdirSync(cli.home).sort()
  const database = location.replace('HOME', cli.home)
  const refused = await cli.run('admin', 'backup', 'copy.db', '--database', database)
  expect(refused).toMatchObject(rejection(status, message))
  expect(refused.stderr).not.toContain('secret')
  expect(readdirSync(cli.home).sort()).toEqual(before)
})
