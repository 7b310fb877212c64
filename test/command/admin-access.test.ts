import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import type { TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

/** Creates a `TestCli` with two further users, each with a token. */
const createTeamCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('admin', 'user', 'add', 'ada@example.com')
  await cli.json('admin', 'user', 'add', 'bob@example.com', '--scope', 'service:read')
})

const listTokens = (cli: TestCli, ...argv: string[]) => cli.json<Row[]>('admin', 'token', 'list', ...argv)

describe('token', () => {
  test('list shows valid tokens without secrets, and with --all those that are revoked', async () => {
    const cli = await createTeamCli()
    const created = { used_at: null, expires_at: null, revoked_at: null, name: 'tt admin', kind: 'admin' }
    expect(await listTokens(cli)).toEqual([
      {
        ...{ ...created, id: 't1', user: 'ada@example.com', valid: true },
        ...{ scopes: ['service:read', 'service:write'], created_at: expect.stringMatching(/^2024-05-03T18/) },
      },
      {
        ...{ ...created, id: 't2', user: 'bob@example.com', valid: true },
        ...{ scopes: ['service:read'], created_at: expect.any(String) },
      },
    ])
    await cli.json('admin', 'token', 'revoke', 't1', '--yes')
    expect((await listTokens(cli)).map(({ id }) => id)).toEqual(['t2'])
    expect(await listTokens(cli, '--all', '--user', 'ADA@example.com')).toMatchObject([
      { id: 't1', valid: false, revoked_at: expect.stringMatching(/^2024-05-03T18/) },
    ])
  })

  test('revoke requires confirmation, and names tokens and users', async () => {
    const cli = await createTeamCli()
    const unconfirmed = await cli.run('admin', 'token', 'revoke', 't1', 't2')
    expect(unconfirmed).toMatchObject(
      rejection(2, 't1 (tt admin of ada@example.com), t2 (tt admin of bob@example.com)'),
    )
    expect(await listTokens(cli)).toHaveLength(2)
    const revoked = await cli.run('admin', 'token', 'revoke', 't1', 't2', '--yes')
    expect(revoked).toMatchObject({ status: 0, stderr: expect.stringContaining('Revoked t1 (tt admin of') })
    expect(await listTokens(cli)).toEqual([])
  })

  test.each([
    ['revoke t1 t9 --yes', 3, 'There is no token "t9". Run `tt admin token list --all`'],
    ['revoke', 2, '"id"'],
  ])('admin token %s exits %i and revokes nothing', async (line, status, message) => {
    const cli = await createTeamCli()
    const rejected = await cli.run('admin', 'token', ...splitCommandLine(line))
    expect(rejected).toMatchObject({ status, stdout: '' })
    expect(rejected.stderr.replaceAll('\n', ' ')).toContain(message)
    expect(await listTokens(cli)).toHaveLength(2)
  })
})

describe('user', () => {
  test('revoke requires confirmation, and revokes the access of that user', async () => {
    const cli = await createTeamCli()
    expect(await cli.run('admin', 'user', 'revoke', 'Ada@example.com')).toMatchObject(
      rejection(2, 'Revoke all tokens, applications and browser sessions of ada@example.com'),
    )
    expect(await listTokens(cli)).toHaveLength(2)
    expect(await cli.run('admin', 'user', 'revoke', 'Ada@example.com', '--yes')).toMatchObject({
      status: 0,
      stderr: 'ada@example.com: Revoked: 1 token, 0 applications, 0 browser sessions.\n',
    })
    expect((await listTokens(cli)).map(({ id }) => id)).toEqual(['t2'])
  })

  test('deactivate prints its effect, activate restores no token, and an inactive user gets none', async () => {
    const cli = await createTeamCli()
    const deactivated = await cli.run('admin', 'user', 'deactivate', 'ada@example.com')
    expect(deactivated.stderr).toBe(
      'ada@example.com is deactivated. Revoked: 1 token, 0 applications, 0 browser sessions.\n',
    )
    const states = async () => (await cli.json<Row[]>('admin', 'user', 'list')).map(({ active }) => active)
    expect(await states()).toEqual([true, false, true])
    expect(await cli.run('admin', 'user', 'token', 'ada@example.com')).toMatchObject(rejection(2, 'inactive'))
    const activated = await cli.run('admin', 'user', 'activate', 'ada@example.com')
    expect(activated.stderr).toContain('Revoked tokens stay revoked.')
    expect(await states()).toEqual([true, true, true])
    expect((await listTokens(cli)).map(({ id }) => id)).toEqual(['t2'])
  })
})

test('company limits the age of legacy keys, and disables them', async () => {
  const cli = await createTeamCli()
  expect(await cli.json('admin', 'company')).toMatchObject({ legacy_keys: true, legacy_key_days: null })
  expect(await cli.json('admin', 'company', '--legacy-key-days', '90')).toMatchObject({
    legacy_keys: true,
    legacy_key_days: 90,
  })
  await cli.json('admin', 'company', '--legacy-keys', 'off')
  expect(await cli.json('admin', 'company', '--name', 'Acme')).toMatchObject({
    ...{ name: 'Acme', legacy_keys: false, legacy_key_days: 90 },
  })
  const argv = ['--legacy-keys', 'on', '--legacy-key-days', 'unlimited']
  expect(await cli.json('admin', 'company', ...argv)).toMatchObject({
    ...{ legacy_keys: true, legacy_key_days: null },
  })
})
