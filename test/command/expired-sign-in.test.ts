import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import { proxyTo, type ServiceProxy } from '../support/proxy.js'
import type { Desk } from '../support/test-cli.js'
import { answeringAll, passOn, type Row } from './service-fixtures.js'
import {
  deskThere,
  email,
  loginByKey,
  loginByOAuth,
  newService,
  password,
  type Service,
  secretsOf,
} from './signed-in.js'

const saved = 'Saved locally: your sign-in has expired. Run `tt login` to send it.\n'

interface SignedIn {
  service: Service
  proxy: ServiceProxy
  desk: Desk
  entry: string
  expense: string
}

/** Ada is signed in as "acme" through a proxy, has an entry and an expense, and the timer runs. */
async function signedIn(by: 'key' | 'oauth'): Promise<SignedIn> {
  const [service, desk] = [await newService(), deskThere()]
  await administration.addExpenseType(service.storage, 'Travel')
  const proxy = await proxyTo(service.origin)
  if (by === 'key') await loginByKey(desk, proxy.url, '--profile', 'acme', '--auth-url', service.origin)
  else await loginByOAuth(desk, service, { baseUrl: proxy.url })
  const entry = await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
  await desk.json('add', 'design', '--from', '10:10', '--for', '10m')
  const expense = await desk.json('expenses', 'add', '12.50', '--currency', 'EUR', '--type', 'travel')
  await desk.json('start', 'design', '--at', '11:00')
  for (const words of [['log'], ['expenses'], ['status']]) await desk.tt(...words)
  return { service, proxy, desk, entry: String(entry.id), expense: String(expense.id) }
}

/** As `tt login` does: by key through the command, which sends what is pending; by OAuth without. */
async function signInAgain({ desk, service, proxy }: SignedIn, by: 'key' | 'oauth') {
  if (by === 'key') {
    const outcome = await loginByKey(desk, proxy.url, '--profile', 'acme')
    expect(outcome, outcome.stderr).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/Delivered \d/),
    })
  } else {
    await loginByOAuth(desk, service, { baseUrl: proxy.url })
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
  }
}

/** The service accepts no token and no refresh token that it has given out. */
async function expire({ storage }: Service) {
  await storage.db.updateTable('tokens').set({ revoked_at: 1 }).execute()
  await storage.db.updateTable('grants').set({ revoked_at: 1 }).execute()
}

const rowsAt = async ({ storage }: Service) => ({
  entries: await storage.db.selectFrom('time_entries').selectAll().execute(),
  expenses: await storage.db.selectFrom('expenses').selectAll().execute(),
})

const changes: [string, (ids: SignedIn) => string[]][] = [
  ['start', () => ['start', 'design', '-n', 'late']],
  ['stop', () => ['stop']],
  ['cancel', () => ['cancel', '--yes']],
  ['add', () => ['add', 'design', '--from', '7:00', '--for', '1h']],
  ['continue', ({ entry }) => ['continue', entry]],
  ['edit', ({ entry }) => ['edit', entry, '-n', 'new']],
  ['rm', ({ entry }) => ['rm', entry, '--yes']],
  ['split', ({ entry }) => ['split', entry, '--at', '9:30']],
  ['fill', ({ entry }) => ['fill', entry, '--yes']],
  ['join', ({ entry }) => ['join', entry, '@1', '--yes']],
  ['undo', () => ['undo', '--yes']],
  ['expenses add', () => ['expenses', 'add', '7', '--currency', 'EUR', '--type', 'travel']],
  ['expenses edit', ({ expense }) => ['expenses', 'edit', expense, '-n', 'new']],
  ['expenses rm', ({ expense }) => ['expenses', 'rm', expense, '--yes']],
]

describe.each(['key', 'oauth'] as const)('with an expired sign-in by %s', (by) => {
  test.each(changes)('tt %s saves the change, which is sent after tt login', async (_, lineOf) => {
    const all = await signedIn(by)
    const { desk, service } = all
    const before = await rowsAt(service)
    await expire(service)
    const outcome = await desk.tt(...lineOf(all))
    expect(outcome, outcome.stderr).toMatchObject({ status: 0, stderr: expect.stringContaining(saved) })
    expect(await rowsAt(service)).toEqual(before)
    expect((await desk.json<Row[]>('sync', 'list')).length).toBeGreaterThan(0)
    await signInAgain(all, by)
    expect(await desk.json('sync', 'list')).toEqual([])
    expect(await rowsAt(service)).not.toEqual(before)
  })

  test('reads exit 4 and name tt login', async () => {
    const { desk, service } = await signedIn(by)
    await expire(service)
    for (const words of [['log'], ['status'], ['expenses'], ['links'], ['sync']]) {
      if (words[0] === 'sync') await desk.tt('stop')
      expect(await desk.tt(...words)).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('tt login --profile acme'),
      })
    }
  })

  test('a change of a record that this machine does not know exits 4', async () => {
    const { desk, service } = await signedIn(by)
    await expire(service)
    const outcome = await desk.tt('edit', '4711', '-n', 'x', '--json')
    expect(outcome).toMatchObject({ status: 4, stdout: '' })
    expect(JSON.parse(outcome.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'unauthenticated', hint: 'Sign in again: tt login' },
    })
    expect(await desk.json('sync', 'list')).toEqual([])
  })
})

describe('a timer started with an expired sign-in', () => {
  test('is what tt status --cached and prompts show', async () => {
    const { desk, service } = await signedIn('oauth')
    await expire(service)
    await desk.json('start', 'design', '-n', 'later')
    expect(await desk.json('status', '--cached')).toMatchObject({ notes: 'later', pending: true })
    expect(readFileSync(join(desk.home, 'timer'), 'utf8')).toContain('since')
    desk.at('2024-05-08T13:00:00Z')
    expect(await desk.tt('stop')).toMatchObject({ status: 0, stderr: expect.stringContaining('1h 00m') })
  })
})

test('another profile than the current one is named in the command that signs in', async () => {
  const { desk, service } = await signedIn('key')
  await desk.tt('profiles', 'use', 'local')
  await expire(service)
  expect(await desk.tt('stop', '--profile', 'acme')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Run `tt login --profile acme` to send it.'),
  })
})

test('tt login without an address signs in to the current profile', async () => {
  const { desk, service } = await signedIn('key')
  await expire(service)
  await desk.tt('stop')
  const argv = ['login', '--key', '--email', email, '--password-stdin', '--insecure-storage']
  expect(await desk.piped(`${password}\n`, ...argv)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Delivered 1 change.'),
  })
  expect(await desk.tt('status')).toMatchObject({ status: 0 })
})

test('tt login sends nothing into another account', async () => {
  const { desk, service } = await signedIn('key')
  await expire(service)
  await desk.tt('stop')
  const [ada] = await service.storage.db.selectFrom('users').select('password').execute()
  await administration.addUser(service.storage, {
    email: 'b@example.com',
    name: 'B',
    clock: () => new Date(),
  })
  await service.storage.db
    .updateTable('users')
    .set({ password: ada?.password ?? null })
    .execute()
  const argv = ['login', '--key', '--email', 'b@example.com', '--password-stdin', '--insecure-storage']
  expect(await desk.piped(`${password}\n`, ...argv)).toMatchObject({ status: 2 })
  expect(await desk.json('sync', 'list')).toHaveLength(1)
  expect(await desk.tt('log')).toMatchObject({ status: 4 })
})

test('an expired sign-in does not make the next commands wait for the service', async () => {
  const { desk, service, proxy } = await signedIn('key')
  await expire(service)
  await desk.tt('stop')
  await loginByKey(desk, proxy.url, '--profile', 'acme')
  const outcome = await desk.tt('add', 'design', '--from', '7:00', '--for', '1h', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  expect(await desk.json('sync', 'list')).toEqual([])
})

test('a refused token whose refresh cannot be reached is an unreachable service', async () => {
  const { desk, service, proxy } = await signedIn('oauth')
  proxy.fate = answeringAll(401)
  await service.close()
  expect(await desk.tt('stop')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('cannot be reached'),
  })
  expect(await desk.tt('log')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('cannot be reached'),
  })
})

describe.each([
  ['refuses the client of', { status: 401, body: '{"error":"invalid_client"}' }, saved],
  ['refuses with 401 and no code', { status: 401, body: '' }, saved],
  [
    'answers with a page of a proxy to',
    { status: 403, body: '<html>Blocked</html>' },
    'Saved locally: the service',
  ],
  [
    'answers with a page of a network to',
    { status: 200, body: '<html>Welcome</html>' },
    'Saved locally: the service',
  ],
])('a token endpoint that %s the refresh', (_, reply, message) => {
  test('has the change saved', async () => {
    const { desk, service, proxy } = await signedIn('oauth')
    moveSignIn(desk, proxy.origin)
    await service.storage.db.updateTable('tokens').set({ revoked_at: 1 }).execute()
    proxy.fate = ({ path }, forward) => (path === '/oauth/token' ? { headers: {}, ...reply } : forward())
    expect(await desk.tt('stop')).toMatchObject({ status: 0, stderr: expect.stringContaining(message) })
    expect(secretsOf(desk)).toMatchObject({ refresh_token: expect.any(String) })
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0, stderr: 'Delivered 1 change.\n' })
  })
})

/** The authorization server of the profile "acme" is at this address from now on. */
function moveSignIn(desk: Desk, authUrl: string) {
  const change = (file: string, name: string) => {
    const path = join(desk.home, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(new RegExp(`("${name}":\\s*")[^"]*`), `$1${authUrl}`))
  }
  change('profiles.json', 'auth_url')
  change('credentials/acme.json', 'auth_url')
}
