// @module-tag slow

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { profilesPath } from '../../src/config/profiles.js'
import * as administration from '../../src/service/admin/administration.js'
import { sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { runSql } from '../support/database-files.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { rejection } from '../support/rejection.js'
import type { TestCli } from '../support/test-cli.js'
import {
  createCliAtServiceTime,
  listAccountFiles,
  loginWithPassword,
  readCredentials,
  readProfiles,
  startService,
} from './login-fixtures.js'

const other = 'grace@example.com'

/** Signs Ada in as "acme", with an entry, an expense and two pending changes. */
async function setUpPending({ namesUser = false } = {}) {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await addGrace(service.storage)
  await loginWithPassword(cli, service.url, '--profile', 'acme')
  const add = ['add', 'Website/Design', '--from', '2024-05-07 09:00', '--for', '1h', '--profile', 'acme']
  const entry = await cli.json<{ id: number }>(...add)
  const expense = await cli.json<{ id: number }>('expenses', 'add', '12.50', '--currency', 'EUR')
  const state = clientStatePath(pathsFor(cli.env), readProfiles(cli).profiles.acme?.state ?? '')
  await insertQueuedChanges(state, { waiting: 1, held: 1 })
  await runSql(state, 'DELETE FROM seen; DELETE FROM alias')
  if (!namesUser) forgetAccount(cli)
  return { service, cli, state, entry: String(entry.id), expense: String(expense.id) }
}

/** Adds the user Grace with the password of Ada. */
async function addGrace(storage: Storage) {
  await administration.addUser(storage, { email: other, name: 'Grace', clock: () => new Date() })
  await storage.queries.all(sql`update users set password = (select password from users where id = 1)`)
}

/** Removes what the first sign-in has stored of the account, as of a service that does not name the user. */
function forgetAccount(cli: TestCli) {
  const { profiles, ...others } = readProfiles(cli)
  const forgotten = Object.entries(profiles).map(([name, { account: _, ...profile }]) => [name, profile])
  const path = profilesPath(pathsFor(cli.env))
  writeFileSync(path, JSON.stringify({ ...others, profiles: Object.fromEntries(forgotten) }))
}

async function cacheRecords(state: string, kind: string, ...ids: string[]) {
  for (const id of ids)
    await runSql(state, `INSERT INTO seen (kind, id, body, at) VALUES ('${kind}', '${id}', '{}', 0)`)
}

const addAlias = (state: string, name: string, id: string) =>
  runSql(state, `INSERT INTO alias (kind, name, id) VALUES ('entry', '${name}', '${id}')`)

const readAccount = (cli: TestCli) => [listAccountFiles(cli), readProfiles(cli), readCredentials(cli)]

describe('login with pending changes', () => {
  test('succeeds when the service names the user of the first sign-in, also without known records', async () => {
    const { cli, service } = await setUpPending({ namesUser: true })
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(outcome.status, outcome.stderr).toBe(0)
    expect(outcome.stderr).not.toContain('pending for the previous account')
  })

  test.each(['entry', 'expense'] as const)(
    'succeeds when the new token can read a cached %s',
    async (kind) => {
      const { cli, service, state, ...ids } = await setUpPending()
      await cacheRecords(state, kind, '4711', '4712', ids[kind])
      const before = readCredentials(cli)
      const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme')
      expect(outcome.status, outcome.stderr).toBe(0)
      expect(readCredentials(cli)).not.toEqual(before)
    },
  )

  test('succeeds when the account can read a record that was created here', async () => {
    const { cli, service, state, entry } = await setUpPending()
    await addAlias(state, '~1', '~2')
    await addAlias(state, '~2', entry)
    expect((await loginWithPassword(cli, service.url, '--profile', 'acme')).status).toBe(0)
  })

  test('requests at most three entries, the latest first', async () => {
    const { cli, service, state } = await setUpPending()
    await cacheRecords(state, 'entry', '4711', '4712', '4713', '4714', '4715')
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme', '--debug')
    expect(outcome.status).toBe(2)
    expect(outcome.stderr.match(/GET \/api\/v1\/timesheets\/47\d\d 404/g)).toHaveLength(3)
    expect(outcome.stderr).toContain('/4715 404')
  })

  test('to another account fails outside a terminal before anything is stored', async () => {
    const { cli, service, state, entry, expense } = await setUpPending()
    await cacheRecords(state, 'entry', entry)
    await cacheRecords(state, 'expense', expense)
    // As another profile she can sign in. Her own expense proves nothing about the account.
    expect((await loginWithPassword(cli, service.url, '--profile', 'grace', '--email', other)).status).toBe(0)
    await cli.json('expenses', 'add', '7.00', '--currency', 'EUR', '--profile', 'grace')
    const before = readAccount(cli)
    const outcome = await loginWithPassword(cli, service.url, '--profile', 'acme', '--email', other)
    expect(outcome).toMatchObject({ status: 2, stdout: '' })
    expect(outcome.stderr).toContain(
      '2 changes are pending for the previous account. The sign-in was cancelled',
    )
    for (const option of ['--yes', '--profile NAME', '`tt sync list`', '`tt logout`'])
      expect(outcome.stderr).toContain(option)
    expect(readAccount(cli)).toEqual(before)
  })

  test('without known records and without a known user needs --yes', async () => {
    const { cli, service } = await setUpPending()
    const before = readAccount(cli)
    expect((await loginWithPassword(cli, service.url, '--profile', 'acme')).status).toBe(2)
    expect(readAccount(cli)).toEqual(before)
    const confirmed = await loginWithPassword(cli, service.url, '--profile', 'acme', '--yes')
    expect(confirmed.status).toBe(0)
    expect(confirmed.stderr).toContain('2 changes are pending for the previous account.')
    expect(readCredentials(cli)).not.toEqual(before[2])
  })

  test('that moves a profile to another address prints how many changes would be left', async () => {
    const { cli } = await setUpPending()
    const elsewhere = await startService()
    const outcome = await loginWithPassword(cli, elsewhere.url, '--profile', 'acme')
    expect(outcome).toMatchObject(rejection(2, '2 changes would not be sent. The profile "acme" belongs to'))
  })
})

describe.each([
  ['logout', []],
  ['profiles', ['rm', 'acme']],
])('%s with pending changes', (command, argv) => {
  test('prints their number, and needs --yes; the state stays', async () => {
    const { cli, state } = await setUpPending()
    const before = readAccount(cli)
    const rejected = await cli.run(command, ...argv)
    expect(rejected).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/2 changes would not be sent\. Confirmation required: Sign out .*--yes/s),
    })
    expect(readAccount(cli)).toEqual(before)
    const outcome = await cli.run(command, ...argv, '--yes')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining(`remain in ${state}`) })
    expect(readProfiles(cli)).toEqual({ profiles: {} })
    expect(existsSync(state)).toBe(true)
  })

  test('also prompts when the outbox cannot be read', async () => {
    const { cli, state } = await setUpPending()
    for (const end of ['-wal', '-shm']) rmSync(`${state}${end}`, { force: true })
    writeFileSync(state, 'no database '.repeat(1000))
    expect(await cli.run(command, ...argv)).toMatchObject(rejection(2, 'cannot be counted: The database'))
  })
})
