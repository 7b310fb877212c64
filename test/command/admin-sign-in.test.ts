import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

/** Returns the bytes of all files. */
const readAllFiles = (cli: TestCli) =>
  readdirSync(cli.home)
    .map((name) => readFileSync(join(cli.home, name), 'latin1'))
    .join()

describe('user --password-stdin', () => {
  test('add reads the password from one line, and prints no token', async () => {
    const cli = createTestCli()
    const argv = ['user', 'add', 'ada@example.com', '--name', 'Ada', '--password-stdin', '--json']
    const added = await cli.runWithInput('correct horse battery\n', 'admin', ...argv)
    expect(added).toMatchObject({ status: 0, stderr: expect.not.stringContaining('correct') })
    expect(JSON.parse(added.stdout)).toEqual({ id: 2, email: 'ada@example.com', name: 'Ada', active: true })
    expect(readAllFiles(cli)).not.toContain('correct horse')
    expect(readAllFiles(cli)).toContain('$scrypt$ln=15')
  })

  test('password changes the password', async () => {
    const cli = createTestCli()
    await cli.json('admin', 'user', 'add', 'ada@example.com')
    const argv = ['user', 'password', 'Ada@example.com', '--password-stdin']
    const set = await cli.runWithInput('correct horse battery', 'admin', ...argv)
    expect(set).toMatchObject({ status: 0, stdout: '2\tada@example.com\tada\ttrue\n' })
    expect(set.stderr).toContain('The password of ada@')
    expect(set.stderr).not.toContain('correct')
  })

  test.each([
    ['\n', 'Standard input contains no password'],
    ['secret1', '10 to 1024 characters; this one has 7'],
    ['first line\nsecond line\n', 'not one line'],
    [Buffer.from([0xff, 0xfe, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46]), 'not one line'],
    ['x'.repeat(20_000), 'not one line'],
  ])('%j is rejected and adds no user', async (input, message) => {
    const cli = createTestCli()
    const before = await cli.json('admin', 'user', 'list')
    for (const words of ['add ada@example.com', 'password you@localhost']) {
      const argv = ['admin', 'user', ...words.split(' '), '--password-stdin']
      expect(await cli.runWithInput(input, ...argv)).toMatchObject(rejection(2, message))
    }
    expect(await cli.json('admin', 'user', 'list')).toEqual(before)
    expect(readAllFiles(cli)).not.toContain('$scrypt$ln')
  })

  test.each([
    ['user password eve@example.com --password-stdin', 3, 'no user "eve@example.com"'],
    ['user password you@localhost', 2, '--password-stdin'],
    ["user password you@localhost 'correct horse'", 2, 'Too many arguments'],
    ['user add you@localhost --password-stdin', 2, 'already'],
    ['user add eve@example.com --password-stdin --scope service:read', 2, '--scope'],
  ])('%s is rejected', async (line, status, message) => {
    const cli = createTestCli()
    await cli.json('status')
    const rejected = await cli.runWithInput('correct horse battery\n', 'admin', ...splitCommandLine(line))
    expect(rejected).toMatchObject(rejection(status, message))
  })
})

describe('app', () => {
  const uri = 'http://127.0.0.1/callback'

  test('add prints ID and secret once, and stores only a hash', async () => {
    const cli = createTestCli()
    const added = await cli.run('admin', 'app', 'add', 'Desktop', '--redirect-uri', uri)
    expect(added.stdout).toMatch(/^app_[0-9a-f]{24}\ttts_[\w-]{43}\n$/)
    expect(added.stderr).toContain('cannot be shown again')
    const [id, secret = ''] = added.stdout.trim().split('\t')
    expect(await cli.json('admin', 'app', 'list')).toEqual([
      { client_id: id, name: 'Desktop', redirect_uris: [uri], public: false },
    ])
    expect(readAllFiles(cli)).not.toContain(secret)
  })

  test('add accepts several addresses, prints JSON, and with --public no secret', async () => {
    const cli = createTestCli()
    const other = 'https://app.example.com/back'
    const argv = ['--redirect-uri', uri, '--redirect-uri', other, '--redirect-uri', uri]
    expect(await cli.json('admin', 'app', 'add', ...argv, 'Both')).toEqual({
      ...{ client_id: expect.stringMatching(/^app_/), client_secret: expect.stringMatching(/^tts_/) },
      ...{ name: 'Both', redirect_uris: [uri, other], public: false },
    })
    const added = await cli.json('admin', 'app', 'add', 'tt', '--public', '--redirect-uri', uri)
    expect(added).toEqual({ client_id: expect.any(String), name: 'tt', redirect_uris: [uri], public: true })
    expect(await cli.json<Row[]>('admin', 'app', 'list')).toContainEqual(added)
    expect((await cli.run('admin', 'app', 'list')).stdout).toContain(`Both\t["${uri}","${other}"]`)
  })

  test('rm requires confirmation, and then removes the app', async () => {
    const cli = createTestCli()
    const { client_id: id } = await cli.json('admin', 'app', 'add', 'Desktop', '--redirect-uri', uri)
    const unconfirmed = await cli.run('admin', 'app', 'rm', String(id))
    expect(unconfirmed).toMatchObject(rejection(2, 'Add --yes'))
    expect(await cli.json<Row[]>('admin', 'app', 'list')).toHaveLength(1)
    const removed = await cli.run('admin', 'app', 'rm', String(id), '--yes', '--json')
    expect(removed).toMatchObject({ status: 0, stderr: '' })
    expect(removed.json()).toMatchObject({ client_id: id, name: 'Desktop' })
    expect(await cli.json('admin', 'app', 'list')).toEqual([])
    expect(await cli.run('admin', 'app', 'rm', String(id), '--yes')).toMatchObject(
      rejection(3, 'tt admin app list'),
    )
  })

  test.each([
    [['add', 'Desktop'], '--redirect-uri'],
    [['add', ' ', '--redirect-uri', uri], 'cannot be empty'],
    [['add', 'Desktop', '--redirect-uri', 'http://example.com/'], 'only allowed for loopback addresses'],
  ])('%j is rejected and registers nothing', async (argv, message) => {
    const cli = createTestCli()
    await cli.json('status')
    const rejected = await cli.run('admin', 'app', ...argv)
    expect(rejected).toMatchObject(rejection(2, message))
    expect(await cli.json('admin', 'app', 'list')).toEqual([])
  })
})

test.each([
  ['--public-url https://time.example.com', 'requires --trust-proxy or --no-trust-proxy'],
  ['--public-url https://time.example.com --trust-proxy 10.0.0.0/33', '"10.0.0.0/33" is neither'],
  ['--oidc-client-id tt', 'requires --oidc-issuer'],
  ['--oidc-issuer https://login.example.com', 'requires --oidc-client-id'],
  ['--oidc-issuer http://login.example.com --oidc-client-id tt', 'is not an https URL'],
])('serve %s is rejected', async (options, message) => {
  expect(await createTestCli().run('serve', '--port', '0', ...splitCommandLine(options))).toMatchObject(
    rejection(2, message),
  )
})
