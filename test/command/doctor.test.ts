import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { dirname, join, relative } from 'node:path'
import Database from 'libsql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Check } from '../../src/commands/views/check.js'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { migrations } from '../../src/outbox/cache/state-schema.js'
import { sql } from '../../src/service/storage/sql.js'
import { runSql } from '../support/database-files.js'
import { listenOnFreePort } from '../support/ports.js'
import { preparedCli } from '../support/prepared-cli.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { shortenTimers } from '../support/short-timers.js'
import { type CommandResult, createTestCli, type TestCli } from '../support/test-cli.js'
import {
  loginWithOAuth,
  loginWithPassword,
  readCredentials,
  readProfiles,
  startService,
} from './login-fixtures.js'
import { preparedSignIn } from './service-fixtures.js'

const checks = (outcome: CommandResult) => outcome.json() as Check[]
const only = (outcome: CommandResult, check: string) => checks(outcome).filter((row) => row.check === check)
const doctor = (cli: TestCli) => cli.run('doctor', '--json')
/** Returns the first result of a check. */
const check = async (cli: TestCli, name: string) => only(await doctor(cli), name)[0]

/** Uses a service with these responses, with a token from the environment. */
async function useServer(cli: TestCli, respond: (response: ServerResponse) => void) {
  const server = createServer((_, response) => respond(response))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  Object.assign(cli.env, { TT_BASE_URL: `${origin}/api/v1`, TT_TOKEN: 'x' })
}

/** Sets up a service with a `tt` that is signed in as the profile "acme" and has a state. */
const signIn = preparedSignIn(async ({ cli }) => {
  expect(await cli.run('log')).toMatchObject({ status: 0 })
})

const statePath = (cli: TestCli) =>
  clientStatePath(pathsFor(cli.env), readProfiles(cli).profiles.acme?.state ?? '')

const createWorkspace = preparedCli('2024-05-01T09:30:00', (cli) =>
  cli.json('add', 'Website/Design', '--from', '-2h', '--for', '1h'),
)

describe('in the local workspace', () => {
  test('all checks pass without any file, and none is created', async () => {
    const cli = createTestCli()
    const outcome = await doctor(cli)
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    const names = 'versions configuration settings disk workspace outbox keychain service clock'
    expect(checks(outcome).map(({ check }) => check)).toEqual(names.split(' '))
    for (const { state, hint } of checks(outcome)) expect([state, hint]).toEqual(['ok', null])
    expect(readdirSync(cli.home)).toEqual([])
  })

  test('databases are reported with their sizes and versions', async () => {
    const cli = await createWorkspace()
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(0)
    expect(only(outcome, 'workspace')[0]?.message).toMatch(/workspace\.db is intact: \d+ KB, version \d+\.$/)
    const { message } = only(outcome, 'versions')[0] ?? {}
    expect(message).toContain(`Node ${process.versions.node}`)
    expect(message).toMatch(/SQLite 3\.\d+\.\d+ \((node:sqlite|libsql)\)/)
  })

  const hints = {
    workspace: 'Nothing was changed. Copy the file, then put a backup in its place.',
    state:
      'Nothing was changed. It contains the changes that were not sent yet: keep a copy of it. ' +
      'Move its directory away to continue without them, or put a backup in its place.',
  }
  const isNotWalFile = (file: string) => !/-(shm|wal)$/.test(file)
  const createUsedCli = async (name: 'workspace' | 'state' = 'workspace') => {
    const cli = name === 'state' ? (await signIn()).cli : await createWorkspace()
    return { cli, file: name === 'state' ? statePath(cli) : join(cli.home, 'workspace.db') }
  }
  /** Ways to make a database unusable for commands; test/command/database-links.test.ts has links. */
  const damages: [string, (path: string) => void | Promise<void>][] = [
    ['with the version number 0', (path) => runSql(path, 'PRAGMA user_version = 0')],
    ['with the version number 9999', (path) => runSql(path, 'PRAGMA user_version = 9999')],
    [
      'that is a directory',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ]

  test.each(
    (['workspace', 'state'] as const).flatMap((name) =>
      damages.map(([what, damage]) => [name, what, damage] as const),
    ),
  )('reports a %s %s, like every command', { tags: 'slow' }, async (name, _, damage) => {
    const { cli, file } = await createUsedCli(name)
    await damage(file)
    expect(await cli.run('log')).toMatchObject({ status: 1, stdout: '' })
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, name)).toMatchObject([{ state: 'error' }])
  })

  test.each([
    ['workspace', 1],
    ['workspace', -1],
    ['state', 2],
  ] as const)(
    'a %s with the changed version number %i is reported by commands and tt doctor, and stays unchanged',
    { tags: 'slow' },
    async (name, version) => {
      const { cli, file } = await createUsedCli(name)
      await runSql(file, `PRAGMA user_version = ${version}`)
      const before = [readFileSync(file), readdirSync(dirname(file)).filter(isNotWalFile)]
      const { status, stderr } = await cli.run('log')
      const message = `${file} does not have the schema of its version`
      expect(status).toBe(1)
      expect(stderr).toContain(`error: The database ${message}`)
      expect(stderr).toContain(hints[name])
      expect(stderr).not.toContain('defect')
      const found = await check(cli, name)
      expect(found).toMatchObject({ state: 'error', message: expect.stringContaining(message) })
      expect(found?.hint).toContain('put a backup in its place.')
      expect([readFileSync(file), readdirSync(dirname(file)).filter(isNotWalFile)]).toEqual(before)
    },
  )

  test.each(['workspace', 'state'] as const)(
    'a %s that is no database is reported by commands, and stays unchanged',
    async (name) => {
      const { cli, file } = await createUsedCli(name)
      const text = 'no database '.repeat(1000)
      writeFileSync(file, text)
      for (const argv of [['start', 'design'], ['stop']]) {
        const { status, stdout, stderr } = await cli.run(...argv)
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
        expect(stderr).toContain(`error: The database ${file} is damaged`)
        expect(stderr).toContain(hints[name])
      }
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  test.each(['workspace', 'state'] as const)(
    'reports a %s that lacks a column of the client',
    async (name) => {
      const { cli, file } = await createUsedCli(name)
      await runSql(file, 'DROP INDEX outbox_waits_for; ALTER TABLE outbox DROP COLUMN waits_for')
      const outcome = await doctor(cli)
      expect(outcome.status).toBe(1)
      expect(only(outcome, name)[0]?.message).toContain('the column outbox.waits_for is missing')
    },
  )

  test('reports a workspace that is missing although it had entries', async () => {
    const { cli, file } = await createUsedCli()
    rmSync(file)
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, 'workspace')[0]).toMatchObject({
      state: 'error',
      message: expect.stringContaining('is missing'),
      hint: expect.stringContaining('tt restore FILE'),
    })
  })

  test('a terminal shows a table with the hints below it', async () => {
    const cli = createTestCli()
    expect((await cli.runInTerminal(100, 'doctor')).stdout).toContain('All checks passed.')
    writeFileSync(join(cli.home, 'workspace.db'), 'no database '.repeat(1000))
    const { status, stdout, stderr } = await cli.runInTerminal(100, 'doctor')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^workspace +error +The database /m)
    expect(stdout).not.toMatch(/^Check.*Hint/m)
    expect(stdout).toMatch(/\nworkspace: The database .*workspace\.db is damaged.*\n.*backup in its place\./)
    expect(stdout).toMatch(/^clock +/m)
    expect(stderr).toContain('error: These checks failed: workspace, outbox.')
  })

  test('terminals of different widths show every result in full', async () => {
    const cli = createTestCli()
    const results = checks(await doctor(cli)).filter(({ check }) => check !== 'disk')
    for (const columns of [60, 80, 100, 120]) {
      const { stdout } = await cli.runInTerminal(columns, 'doctor')
      expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns)
      expect(stdout).not.toContain('…')
      const withoutSpace = stdout.replace(/\s/g, '')
      for (const { check, message } of results)
        expect(withoutSpace).toContain(`${check}ok${message}`.replace(/\s/g, ''))
    }
  })
})

describe('settings', () => {
  test('are counted, with the path of their file', async () => {
    const cli = createTestCli()
    writeFileSync(join(cli.home, 'config.json'), '{"week_start": "sunday"}')
    const found = await check(cli, 'settings')
    expect(found).toMatchObject({
      state: 'ok',
      message: `One setting is set in ${join(cli.home, 'config.json')}.`,
    })
  })

  test.each([
    ['{"week_start": "someday"}', 'week_start'],
    ['{"holidays_file": "/nowhere/holidays.ics"}', '/nowhere/holidays.ics'],
  ])('are an error when they are invalid: %s', async (text, cause) => {
    const cli = createTestCli()
    writeFileSync(join(cli.home, 'config.json'), text)
    const found = await check(cli, 'settings')
    expect(found).toMatchObject({ state: 'error', message: expect.stringContaining(cause) })
  })
})

describe('configuration', () => {
  test('shows the current profile and its origin', async () => {
    const { cli, proxy } = await signIn()
    const currentProfile = async (...argv: string[]) =>
      only(await cli.run('doctor', '--json', ...argv), 'configuration')[0]?.message
    expect(await currentProfile()).toBe('The current profile is "acme", the last one signed in to or chosen.')
    const outcome = await cli.run('doctor', '--json', '--profile', 'gone')
    expect(only(outcome, 'configuration')).toMatchObject([{ state: 'error' }])
    expect(await currentProfile('--profile', 'local')).toContain(
      'The current profile is "local", set by --profile',
    )
    writeFileSync(join(cli.home, '.tt.json'), '{"profile":"acme","task":"x"}')
    expect(await currentProfile()).toBe(
      `The current profile is "acme", set by ${cli.home}/.tt.json. ${cli.home}/.tt.json sets a task here.`,
    )
    cli.env.TT_PROFILE = 'acme'
    expect(await currentProfile()).toContain('set by TT_PROFILE')
    Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: 'wrong' })
    expect(await currentProfile()).toContain('set by TT_BASE_URL and TT_TOKEN')
  })

  test('is an error when it is damaged, and checks that do not need it still run', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    await insertQueuedChanges(state, { waiting: 1 })
    writeFileSync(join(cli.home, 'profiles.json'), '{')
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, 'configuration')[0]).toMatchObject({
      state: 'error',
      message: expect.stringContaining('profiles.json is not JSON'),
    })
    expect(only(outcome, 'versions')[0]?.state).toBe('ok')
    expect(only(outcome, 'disk')[0]?.state).toBe('ok')
  })

  test('shows the absolute path of a relative TT_HOME', async () => {
    const cli = createTestCli()
    cli.env.TT_HOME = relative(process.cwd(), cli.home)
    const { state, message } = (await check(cli, 'configuration')) ?? {}
    expect({ state, message }).toEqual({
      state: 'ok',
      message: expect.stringContaining(`TT_HOME, ${cli.env.TT_HOME}, is ${cli.home}.`),
    })
  })

  test('warns about relative XDG values, which are ignored', async () => {
    const cli = createTestCli()
    Object.assign(cli.env, { TT_HOME: undefined, HOME: cli.home, XDG_DATA_HOME: 'data' })
    expect(await check(cli, 'configuration')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('not an absolute path: XDG_DATA_HOME.'),
    })
  })

  test('warns about a directory file with keys that it cannot set', async () => {
    const cli = createTestCli()
    writeFileSync(join(cli.home, '.tt.json'), '{"token":"theirs"}')
    expect(await check(cli, 'configuration')).toMatchObject({
      state: 'warning',
      hint: expect.stringContaining('token'),
    })
  })
})

describe('the databases of a profile', () => {
  test('a state that SQLite reports as damaged is an error', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    const database = new Database(state) // node:sqlite does not modify sqlite_master.
    database.exec(`
      INSERT INTO seen (kind, id, start_at, body, at) VALUES ('entry', '1', 1, '{}', 2);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE INDEX seen_start ON seen (kind, at)' WHERE name = 'seen_start'`)
    database.close()
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, 'state')[0]).toMatchObject({
      state: 'error',
      message: expect.stringMatching(/state\.db is damaged \(.*missing from index/),
      hint: expect.stringContaining('It contains the pending changes'),
    })
  })

  test('a state of a newer tt is an error', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    await insertQueuedChanges(state, { waiting: 0, held: 1, refused: 0, conflict: 0 }, '2024-05-08T09:50:00Z')
    await runSql(state, 'PRAGMA user_version = 1000')
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, 'outbox')[0]?.message).toContain('1 local until the timer stops')
    expect(only(outcome, 'state')[0]).toMatchObject({ state: 'error', hint: 'Update tt.' })
  })

  test('a state of an older tt is not migrated by the check', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    rmSync(state)
    await runSql(state, `${migrations[0]}; PRAGMA user_version = 1`)
    const outcome = await doctor(cli)
    expect(only(outcome, 'state')[0]).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('version 1, updated to'),
    })
    expect(only(outcome, 'outbox')[0]).toMatchObject({ state: 'ok' })
    expect(readdirSync(dirname(state))).not.toContain('state.db.version-1')
  })

  test('copies from before a migration are listed', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    writeFileSync(`${state}.version-1`, '')
    expect((await check(cli, 'state'))?.message).toContain('older copies: state.db.version-1')
  })

  test('pending, local, rejected and conflicting changes are counted, with the age of the oldest', async () => {
    const { cli } = await signIn()
    const state = statePath(cli)
    await insertQueuedChanges(state, { waiting: 2, held: 1, refused: 1, conflict: 1 }, '2024-05-08T09:50:00Z')
    const outbox = await check(cli, 'outbox')
    expect(outbox).toEqual({
      check: 'outbox',
      state: 'warning',
      message:
        '2 pending, 1 local until the timer stops, 1 rejected by the service, ' +
        '1 in conflict with changes made elsewhere; age of the oldest: 2h 10m.',
      hint: 'Run `tt sync` to send pending changes. Run `tt sync list` to see rejected changes.',
    })
  })

  test('changes in the outboxes of other profiles are reported, signed in or not', async () => {
    const { cli, proxy } = await signIn()
    const state = statePath(cli)
    await insertQueuedChanges(state, { waiting: 1 })
    const paths = pathsFor(cli.env)
    await insertQueuedChanges(clientStatePath(paths, 'gone-12345678'), { waiting: 3 })
    await insertQueuedChanges(clientStatePath(paths, 'environment-abc'), { refused: 1 })
    await loginWithPassword(cli, proxy.url, '--profile', 'beta')
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(0)
    expect(only(outcome, 'outbox')[0]?.state).toBe('ok')
    const others = only(outcome, 'other outbox')
    expect(others.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      expect.stringMatching(/^Profile "acme": 1 pending.* Run `tt sync --profile acme` to send them\.$/),
      expect.stringMatching(/^An account from TT_BASE_URL and TT_TOKEN: 1 rejected/),
      expect.stringMatching(/^A signed-out account: 3 pending.*gone-12345678/),
    ])
  })
})

describe('disk', () => {
  test('an unwritable directory is an error', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write anywhere')
    const cli = createTestCli()
    chmodSync(cli.home, 0o500)
    onTestFinished(() => chmodSync(cli.home, 0o700))
    expect(await check(cli, 'disk')).toMatchObject({
      state: 'error',
      message: expect.stringContaining('EACCES'),
    })
  })

  test('a home that is a file is an error', async () => {
    const cli = createTestCli()
    cli.env.TT_HOME = join(cli.home, 'file')
    writeFileSync(cli.env.TT_HOME, '')
    expect(await check(cli, 'disk')).toMatchObject({
      state: 'error',
      message: expect.stringContaining('ENOTDIR'),
      hint: expect.stringContaining('TT_HOME'),
    })
  })

  test('each directory is checked, or its closest existing parent', async () => {
    const cli = createTestCli()
    const { home } = cli
    mkdirSync(join(home, 'data', 'tt'), { recursive: true })
    Object.assign(cli.env, {
      TT_HOME: '',
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_STATE_HOME: join(home, 'state'),
    })
    const rows = only(await doctor(cli), 'disk')
    expect(rows.map(({ message }) => message.split(' ')[0])).toEqual(
      ['config', 'data', 'state'].map((name) => join(home, name, 'tt')),
    )
    expect(readdirSync(home)).toEqual(['data'])
    expect(readdirSync(join(home, 'data', 'tt'))).toEqual([])
  })
})

describe('the service', () => {
  test('is shown with its company, status and response time, and its clock is compared', async () => {
    const { cli, proxy } = await signIn()
    const outcome = await doctor(cli)
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    expect(only(outcome, 'service')[0]?.message).toMatch(
      new RegExp(`^Acme responds at ${proxy.url} \\(200 after \\d+ ms\\)\\.$`),
    )
    expect(only(outcome, 'clock')[0]).toMatchObject({ state: 'ok', hint: null })
    expect(only(outcome, 'keychain')[0]?.message).toMatch(/acme\.json and readable/)
  })

  test('appears without any secret in all formats', async () => {
    const { cli, proxy } = await signIn()
    const secrets = readCredentials(cli)
    const key = secrets.method === 'key' ? secrets.key : 'x'
    const shown = [
      await doctor(cli),
      await cli.runInTerminal(200, 'doctor'),
      await cli.run('doctor', '--debug'),
    ]
    Object.assign(cli.env, { TT_BASE_URL: proxy.url.replace('//', '//ada:sesame@'), TT_TOKEN: key })
    shown.push(await doctor(cli))
    const text = shown.map(({ stdout, stderr }) => stdout + stderr).join('\n')
    expect(key.length).toBeGreaterThan(10)
    for (const secret of [key, 'sesame']) expect(text).not.toContain(secret)
  })

  test('has a clock check for the difference of the local clock', { tags: 'slow' }, async () => {
    const { cli } = await signIn()
    const hint = expect.stringContaining('automatically')
    for (const [seconds, state, expectedHint] of [
      [3, 'ok', null],
      [30, 'warning', hint],
      [-30, 'warning', hint],
      [600, 'error', hint],
    ] as const) {
      cli.setTime(new Date(Date.parse('2024-05-08T12:00:00Z') + seconds * 1000).toISOString())
      const outcome = await doctor(cli)
      expect(only(outcome, 'clock')).toMatchObject([
        {
          ...{ state, hint: expectedHint },
          message: expect.stringMatching(seconds > 0 ? /\d s ahead of/ : /\d s behind/),
        },
      ])
      expect(outcome.status).toBe(state === 'error' ? 1 : 0)
    }
  })

  test('passes without a Date header, and its clock is not compared', async () => {
    const cli = createTestCli()
    await useServer(cli, (response) => {
      response.sendDate = false
      response.setHeader('content-type', 'application/json').end('{"id":1,"name":"Acme"}')
    })
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(0)
    expect(only(outcome, 'service')[0]).toMatchObject({ state: 'ok' })
    expect(only(outcome, 'clock')[0]).toEqual({
      check: 'clock',
      state: 'ok',
      message: 'Not compared: the service sends no valid Date header.',
      hint: null,
    })
  })

  test('is a warning with the reason when it cannot be reached', async () => {
    const { cli, proxy } = await signIn()
    await proxy.close()
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(0)
    expect(only(outcome, 'service')[0]).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/cannot be reached \(connection (refused|lost)\)/),
      hint: expect.stringContaining('Check the network'),
    })
    expect(only(outcome, 'clock')[0]).toMatchObject({ state: 'warning' })
  })

  test('times out after 5 s when it never responds', async () => {
    const cli = createTestCli()
    await useServer(cli, () => {})
    shortenTimers()
    expect((await check(cli, 'service'))?.message).toContain('timed out after 5 s')
  })

  test('is an error with a hint to sign in when it rejects the token', async () => {
    const { cli, storage } = await signIn()
    await storage.queries.all(sql`update tokens set revoked_at = 1`)
    const outcome = await doctor(cli)
    expect(outcome.status).toBe(1)
    expect(only(outcome, 'service')[0]).toMatchObject({
      state: 'error',
      message: expect.stringContaining('401'),
      hint: 'Run `tt login --profile acme` to sign in.',
    })
    expect(only(outcome, 'clock')[0]).toMatchObject({ state: 'ok' })
  })

  test.each([
    [
      'without credentials',
      { hint: 'Run `tt login --profile acme` to sign in.' },
      (home: string) => rmSync(join(home, 'credentials', 'acme.json')),
    ],
    [
      'with a missing keychain',
      {
        message: expect.stringContaining('no keychain that tt can use'),
        hint: expect.stringContaining('`tt login --insecure-storage`'),
      },
      (home: string) => {
        const profiles = join(home, 'profiles.json')
        writeFileSync(profiles, readFileSync(profiles, 'utf8').replace('"file"', '"keychain"'))
      },
    ],
  ])('is reached, and its clock compared, %s', async (_, found, remove) => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { cli } = await signIn()
    remove(cli.home)
    const outcome = await doctor(cli)
    expect(only(outcome, 'keychain')[0]).toMatchObject({ state: 'error', ...found })
    expect(only(outcome, 'service')[0]).toMatchObject({
      state: 'error',
      message: expect.stringMatching(/responds \(401 after \d+ ms\), but not with your sign-in/),
    })
    expect(only(outcome, 'clock')[0]).toMatchObject({ state: 'ok' })
  })

  test('has its sign-in refreshed shortly before it expires, and reported once it has expired', async () => {
    const [service, cli] = [await startService(), createTestCli('2024-05-08T13:59:50Z')]
    await loginWithOAuth(cli, service)
    const before = readCredentials(cli)
    expect((await check(cli, 'service'))?.state).toBe('ok')
    expect(readCredentials(cli)).not.toEqual(before)
    await service.storage.queries.all(sql`update grants set revoked_at = 1`)
    await service.storage.queries.all(sql`update tokens set revoked_at = 1`)
    await doctor(cli)
    expect(await check(cli, 'keychain')).toMatchObject({
      state: 'error',
      message: 'The sign-in of "acme" has expired.',
    })
  })

  test('has its credentials reported as an error when other users can read them', async () => {
    const { cli } = await signIn()
    const file = join(cli.home, 'credentials', 'acme.json')
    chmodSync(file, 0o644)
    expect(existsSync(file)).toBe(true)
    expect(await check(cli, 'keychain')).toMatchObject({
      state: 'error',
      message: expect.stringContaining('is accessible to other users'),
      hint: expect.stringContaining('chmod 600'),
    })
  })
})

test('rates that match nothing are a warning with the names that exist', async () => {
  const cli = createTestCli()
  await cli.json('config', 'set', 'rate.Website', '90')
  await cli.json('config', 'set', 'rate.Acme', '90')
  await cli.json('start', 'Acme/Website/Design', '--yes')
  await cli.json('config', 'set', 'rate.Acmee', '95')
  const { status, stdout } = await cli.run('doctor', '--json')
  expect(status).toBe(0)
  const warnings = (JSON.parse(stdout) as Check[]).filter(({ state }) => state !== 'ok')
  expect(warnings).toMatchObject([
    {
      check: 'settings',
      state: 'warning',
      message:
        'rate.Website matches nothing. There is no client Website. For the project, use rate.Acme/Website. rate.Acmee matches nothing. Did you mean rate.Acme?',
    },
  ])
})

test('rates are compared with the cached names of a service', async () => {
  const { cli } = await signIn()
  await cli.json('config', 'set', 'rate.Umbrella', '90')
  await cli.run('projects')
  expect(only(await doctor(cli), 'settings').map(({ state }) => state)).toEqual(['ok', 'warning'])
})
