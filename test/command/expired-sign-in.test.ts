// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import { sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { readFiles, writeFiles } from '../support/home-files.js'
import { noFault, respondToAll, startProxy } from '../support/proxy.js'
import { preparedSqlite } from '../unit/service/fixtures.js'
import {
  createCliAtServiceTime,
  createServiceRecords,
  email,
  loginWithOAuth,
  loginWithPassword,
  password,
  readCredentials,
  type Service,
  startService,
} from './login-fixtures.js'
import { type Row, withAddress, withoutClosing } from './service-fixtures.js'

const saved = 'Saved locally: your sign-in has expired. Run `tt login` to send it.\n'

/** Sets up Ada's sign-in as "acme" through a proxy, with entries, an expense and a running timer. */
async function setUpSignIn(by: 'key' | 'oauth') {
  const { files, addresses, entry, expense, ...service } = await startService(openSignedIn[by])
  const cli = createCliAtServiceTime()
  const proxy = await startProxy(service.origin)
  const atProxy = withAddress(files, addresses.proxy, proxy.url)
  writeFiles(cli.home, withAddress(atProxy, addresses.origin, service.origin))
  return { service, proxy, cli, entry, expense }
}

/** Copies of a service and of the files of `tt` after a sign-in, which takes most of the time of a test. */
const openSignedIn = {
  key: preparedSqlite((storage) => createSignedIn(storage, 'key')),
  oauth: preparedSqlite((storage) => createSignedIn(storage, 'oauth')),
}

async function createSignedIn(storage: Storage, by: 'key' | 'oauth') {
  const records = await createServiceRecords(storage)
  const service = await startService(withoutClosing(storage, records))
  const cli = createCliAtServiceTime()
  await administration.addExpenseType(storage, 'Travel')
  const proxy = await startProxy(service.origin)
  if (by === 'key') await loginWithPassword(cli, proxy.url, '--profile', 'acme', '--auth-url', service.origin)
  else await loginWithOAuth(cli, service, { baseUrl: proxy.url })
  const entry = await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
  await cli.json('add', 'design', '--from', '10:10', '--for', '10m')
  const expense = await cli.json('expenses', 'add', '12.50', '--currency', 'EUR', '--type', 'travel')
  await cli.json('start', 'design', '--at', '11:00')
  for (const words of [['log'], ['expenses'], ['status']]) await cli.run(...words)
  await service.close()
  return {
    ...records,
    files: readFiles(cli.home),
    addresses: { proxy: proxy.url, origin: service.origin },
    entry: String(entry.id),
    expense: String(expense.id),
  }
}

/** Revokes all access tokens and refresh tokens. */
async function expire({ storage }: Service) {
  await storage.queries.all(sql`update tokens set revoked_at = 1`)
  await storage.queries.all(sql`update grants set revoked_at = 1`)
}

const rowsAt = async ({ storage }: Service) => ({
  entries: await storage.queries.all<Row>(sql`select * from time_entries`),
  expenses: await storage.queries.all<Row>(sql`select * from expenses`),
})

/** Every command that changes records, in an order in which each leaves a change to send, and the records afterwards. */
const changes = {
  key: {
    lines: [
      ...['cancel --yes', 'fill ENTRY --yes', 'join ENTRY @1 --yes', 'split ENTRY --at 9:30'],
      ...['edit ENTRY -n new', 'start design -n late', 'stop', 'continue ENTRY', 'rm ENTRY --yes'],
      ...['add design --from 7:00 --for 1h', 'expenses edit EXPENSE -n new', 'expenses rm EXPENSE --yes'],
      'expenses add 7 --currency EUR --type travel',
    ],
    records: ['09:30–10:20', 'late 14:15–14:16', 'new 14:17–now', '07:00–08:00', '7.00'],
  },
  oauth: {
    lines: ['undo --yes', 'fill ENTRY --yes', 'expenses edit EXPENSE -n new', 'start design -n late'],
    records: ['09:00–10:10', '10:10–10:20', 'late 14:13–now', 'new 12.50'],
  },
}

describe.each(['key', 'oauth'] as const)('with an expired sign-in by %s', (by) => {
  test('every change is sent by tt login with a key, and by tt sync after tt login with OAuth', async () => {
    const { cli, service, proxy, entry, expense } = await setUpSignIn(by)
    const { lines, records } = changes[by]
    const before = await rowsAt(service)
    await expire(service)
    for (const [minute, line] of lines.entries()) {
      cli.setTime(`2024-05-08T12:${minute + 10}:00Z`)
      const outcome = await cli.run(...line.replace('ENTRY', entry).replace('EXPENSE', expense).split(' '))
      expect({ line, ...outcome }).toMatchObject({ line, status: 0, stderr: expect.stringContaining(saved) })
    }
    expect(await rowsAt(service)).toEqual(before)
    if (by === 'key') {
      const outcome = await loginWithPassword(cli, proxy.url, '--profile', 'acme')
      expect(outcome, outcome.stderr).toMatchObject({ status: 0, stderr: expect.stringMatching(/Sent \d/) })
    } else {
      await loginWithOAuth(cli, service, { baseUrl: proxy.url })
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
    }
    expect(await cli.json('sync', 'list')).toEqual([])
    const { entries, expenses } = await rowsAt(service)
    const timeOf = (ms: unknown) => (ms === null ? 'now' : new Date(Number(ms)).toTimeString().slice(0, 5))
    const lineOf = (notes: unknown, text: string) => `${notes ?? ''} ${text}`.trim()
    expect([
      ...entries.map((entry) => lineOf(entry.notes, `${timeOf(entry.time_start)}–${timeOf(entry.time_end)}`)),
      ...expenses.map(({ notes, amount }) => lineOf(notes, String(amount))),
    ]).toEqual(records)
  })

  test('reads, and a change of a record that this machine does not know, exit 4 and name tt login', async () => {
    const { cli, service } = await setUpSignIn(by)
    await expire(service)
    const outcome = await cli.run('edit', '4711', '-n', 'x', '--json')
    expect(outcome).toMatchObject({ status: 4, stdout: '' })
    expect(JSON.parse(outcome.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'unauthenticated', hint: 'Run `tt login` to sign in.' },
    })
    expect(await cli.json('sync', 'list')).toEqual([])
    for (const words of [['log'], ['status'], ['expenses'], ['tasks'], ['sync']]) {
      if (words[0] === 'sync') await cli.run('stop')
      expect(await cli.run(...words)).toMatchObject({
        status: 4,
        stderr: expect.stringContaining('tt login --profile acme'),
      })
    }
  })
})

test('tt status --cached and prompts show a timer started with an expired sign-in', async () => {
  const { cli, service } = await setUpSignIn('oauth')
  await expire(service)
  await cli.json('start', 'design', '-n', 'later')
  expect(await cli.json('status', '--cached')).toMatchObject({ notes: 'later', pending: true })
  expect(readFileSync(join(cli.home, 'timer'), 'utf8')).toContain('since')
  cli.setTime('2024-05-08T13:00:00Z')
  expect(await cli.run('stop')).toMatchObject({ status: 0, stderr: expect.stringContaining('1h 00m') })
})

test('another profile than the current one is named in the command that signs in', async () => {
  const { cli, service } = await setUpSignIn('key')
  await cli.run('profiles', 'use', 'local')
  await expire(service)
  expect(await cli.run('stop', '--profile', 'acme')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Run `tt login --profile acme` to send it.'),
  })
})

test('tt login without an address signs in to the current profile, and later changes are sent', async () => {
  const { cli, service } = await setUpSignIn('key')
  await expire(service)
  await cli.run('stop')
  const argv = ['login', '--key', '--email', email, '--password-stdin', '--insecure-storage']
  expect(await cli.runWithInput(`${password}\n`, ...argv)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Sent 1 change.'),
  })
  const outcome = await cli.run('add', 'design', '--from', '7:00', '--for', '1h', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  expect(await cli.json('sync', 'list')).toEqual([])
})

test('a refused token whose refresh cannot be reached is an unreachable service', async () => {
  const { cli, service, proxy } = await setUpSignIn('oauth')
  proxy.fault = respondToAll(401)
  await service.close()
  expect(await cli.run('stop')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('cannot be reached'),
  })
  expect(await cli.run('log')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('cannot be reached'),
  })
})

test.each([
  ['refuses the client of', { status: 401, body: '{"error":"invalid_client"}' }, saved],
  ['refuses with 401 and no code', { status: 401, body: '' }, saved],
  [
    'responds with a page of a proxy to',
    { status: 403, body: '<html>Blocked</html>' },
    'cannot be read. The',
  ],
  [
    'responds with a page of a network to',
    { status: 200, body: '<html>Hi</html>' },
    'Saved locally: the service',
  ],
])('a token endpoint that %s the refresh leaves the change saved', async (_, reply, message) => {
  const { cli, service, proxy } = await setUpSignIn('oauth')
  writeFiles(cli.home, withAddress(readFiles(cli.home), service.origin, proxy.origin))
  await service.storage.queries.all(sql`update tokens set revoked_at = 1`)
  proxy.fault = ({ path }, forward) => (path === '/oauth/token' ? { headers: {}, ...reply } : forward())
  expect(await cli.run('stop')).toMatchObject({ status: 0, stderr: expect.stringContaining(message) })
  expect(readCredentials(cli)).toMatchObject({ refresh_token: expect.any(String) })
  proxy.fault = noFault
  expect(await cli.run('sync')).toMatchObject({ status: 0, stderr: 'Sent 1 change.\n' })
})
