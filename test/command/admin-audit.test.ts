import { expect, test } from 'vitest'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const readLog = (cli: TestCli, ...argv: string[]) => cli.json<Row[]>('admin', 'audit', ...argv)

test('audit shows admin commands that changed something, without secrets', async () => {
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
  await cli.json('admin', 'project', 'add', 'Website', '--database', database)
  expect(await readLog(cli, '--database', database)).toMatchObject([{ details: 'project add Website' }])
  expect(await readLog(cli)).toEqual([])
})

test.each([
  [['--event', 'nonesuch'], '--event: "nonesuch" is not one of sign_in'],
  [['--limit', '0'], '--limit takes a number'],
])('audit %j is rejected', async (argv, message) => {
  expect(await createTestCli().run('admin', 'audit', ...argv)).toMatchObject({
    ...{ status: 2, stdout: '', stderr: expect.stringContaining(message) },
  })
})

test('a restore leaves the audit log as it is', async () => {
  const cli = createTestCli('2024-05-03T18:00:00')
  await cli.json('admin', 'project', 'add', 'Website')
  const { file } = await cli.json('backup', `${cli.home}/saved.tt`)
  await cli.json('admin', 'project', 'add', 'Shop')
  expect(await cli.run('restore', String(file), '--yes')).toMatchObject({ status: 0 })
  expect((await readLog(cli)).map(({ details }) => details)).toEqual([
    'project add Website',
    'project add Shop',
  ])
  expect(await cli.json('projects')).toHaveLength(1)
})
