import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSql } from '../support/database-files.js'
import { rejection } from '../support/rejection.js'
import { storeManyEntries } from '../support/stored-entries.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const readLog = (cli: TestCli, ...argv: string[]) => cli.json<Row[]>('admin', 'audit', ...argv)

test('audit shows admin commands that changed something, without secrets', { tags: 'slow' }, async () => {
  const cli = createTestCli('2024-05-03T18:00:00')
  const { token } = await cli.json('admin', 'user', 'add', 'ada@example.com', '--name', 'Ada L.')
  await cli.run('admin', 'user', 'add', 'ada@example.com')
  await cli.run('admin', 'token', 'revoke', 't1')
  await cli.json('admin', 'token', 'revoke', 't1', '--yes')
  await cli.json('admin', 'company')
  await cli.json('admin', 'company', '--visibility', 'assigned')
  await cli.json('admin', 'user', 'list')
  const password = 'correct horse battery'
  await cli.runWithInput(`${password}\n`, 'admin', 'user', 'password', 'ada@example.com', '--password-stdin')
  const log = await readLog(cli)
  expect(log.map(({ details }) => details)).toEqual([
    'user add ada@example.com {"name":"Ada L."}',
    'token revoke t1',
    'company {"visibility":"assigned"}',
    'user password ada@example.com {"passwordStdin":true}',
  ])
  expect(log[0]).toMatchObject({
    ...{ event: 'admin_command', address: null, actor: expect.stringMatching(/.@./) },
    at: expect.stringMatching(/^2024-05-03T18:00:00/),
  })
  expect(JSON.stringify(log)).not.toContain(token)
  expect(JSON.stringify(log)).not.toContain(password)
  expect(await readLog(cli, '--since', 'tomorrow')).toEqual([])
  expect(await readLog(cli, '--since', 'today', '--until', 'today', '-n', '1')).toHaveLength(1)
  expect(await readLog(cli, '--event', 'sign_in')).toEqual([])
})

test('audit does not record the unlinking of a user without a link', async () => {
  const cli = createTestCli()
  await cli.json('admin', 'user', 'add', 'ada@example.com')
  const before = await readLog(cli)
  const unlinked = await cli.run('admin', 'user', 'unlink', 'ada@example.com')
  expect(unlinked).toMatchObject({ status: 0, stderr: expect.stringContaining('Nothing was changed.') })
  expect(await readLog(cli)).toEqual(before)
})

test('audit leaves the address of the database out', async () => {
  const cli = createTestCli()
  const database = `sqlite:${cli.home}/team.db`
  await cli.json('admin', 'projects', 'add', 'Website', '--database', database)
  expect(await readLog(cli, '--database', database)).toMatchObject([{ details: 'projects add Website' }])
  expect(await readLog(cli)).toEqual([])
})

test.each([
  [['--event', 'nonesuch'], '--event: "nonesuch" is not one of sign_in'],
  [['--limit', '0'], '--limit takes a whole number from 1 to 999999'],
])('audit %j is rejected', async (argv, message) => {
  expect(await createTestCli().run('admin', 'audit', ...argv)).toMatchObject(rejection(2, message))
})

test('a restore leaves the audit log as it is', { tags: 'slow' }, async () => {
  const cli = createTestCli('2024-05-03T18:00:00')
  await cli.json('admin', 'projects', 'add', 'Website')
  const { file } = await cli.json('backup', `${cli.home}/saved.tt`)
  await cli.json('admin', 'projects', 'add', 'Shop')
  expect(await cli.run('restore', String(file), '--yes')).toMatchObject({ status: 0 })
  expect((await readLog(cli)).map(({ details }) => details)).toEqual([
    'projects add Website',
    'projects add Shop',
  ])
  expect(await cli.json('projects')).toHaveLength(1)
})

test('audit --entries shows the changes of entries and expenses of a hosted database', async () => {
  const cli = createTestCli('2024-05-03T18:00:00')
  const file = join(cli.home, 'team.db')
  const databaseUrl = `sqlite:${file}`
  await cli.json('admin', 'user', 'add', 'ada@example.com', '--database', databaseUrl)
  await cli.json('admin', 'projects', 'add', 'Website', '--database', databaseUrl)
  await cli.json('admin', 'tasks', 'add', 'Website/Design', '--database', databaseUrl)
  await storeManyEntries(file, [
    { startMs: Date.parse('2024-05-03T08:00:00Z'), lengthMs: null, notes: 'draft' },
  ])
  await runSql(file, 'DELETE FROM time_entries')
  const log = await cli.json<Row[]>('admin', 'audit', '--entries', '--database', databaseUrl)
  expect(log).toMatchObject([
    { event: 'entry_created', user: 'ada@example.com', address: null, old: null },
    { event: 'entry_deleted', actor: 'ada@example.com', old: { notes: 'draft' }, new: null },
  ])
  const showEvents = (event: string) =>
    cli.run('admin', 'audit', '--entries', '--event', event, '--database', databaseUrl)
  const shown = await showEvents('entry_created')
  expect(shown.stdout).toContain('ada@example.com')
  expect(shown.stdout).toContain('1: time_start 2024-05-03T08:00:00.000Z, time_end none, notes draft')
  expect(await showEvents('sign_in')).toMatchObject(rejection(2, 'entry_changed'))
})
