// @module-tag slow

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dropRequest, type Fault, noFault } from '../support/proxy.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { forwardWithoutKey, type Row, setUpService } from './service-fixtures.js'

/** A service that creates one record per Idempotency-Key, and one that ignores it. */
const services: [string, Fault][] = [
  ['with Idempotency-Key', noFault],
  ['without Idempotency-Key', forwardWithoutKey],
]

/** Adds an entry and an expense without a connection, saves a backup, and connects again. */
async function setUpBackup(fault: Fault) {
  const setup = await setUpService()
  const { cli, proxy } = setup
  const otherMachine = createTestCli('2024-05-08T12:00:00Z', { ticking: true })
  Object.assign(otherMachine.env, { TT_BASE_URL: cli.env.TT_BASE_URL, TT_TOKEN: cli.env.TT_TOKEN })
  proxy.fault = dropRequest
  expect(await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone')).toMatchObject({
    pending: true,
  })
  await cli.json('expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train')
  expect(await cli.json('backup', 'copy.tar.gz')).toMatchObject({ pending: 2 })
  copyFileSync(join(cli.home, 'copy.tar.gz'), join(otherMachine.home, 'copy.tar.gz'))
  proxy.fault = fault
  return {
    ...setup,
    /** Another machine with the same account. */
    otherMachine,
    /** Restores the backup on a machine. */
    restore: async (machine: TestCli) => {
      expect(await machine.run('restore', 'copy.tar.gz', '--yes')).toMatchObject({ status: 0 })
    },
    at: (time: string) => {
      for (const machine of [cli, otherMachine]) machine.setTime(`2024-05-08T${time}Z`)
    },
    posts: () => proxy.requests.filter(({ method }) => method === 'POST').length,
  }
}

/** Sends the pending changes, and waits for the settling time of those whose outcome is unknown. */
async function syncAll({ at }: Awaited<ReturnType<typeof setUpBackup>>, cli: TestCli) {
  at('12:10:00')
  await cli.run('sync')
  at('12:12:00')
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await cli.json('sync', 'list')).toEqual([])
}

const summary = ({ notes, time_end: end }: Row) => [notes, end]

describe.each(services)('a service %s', (_, fault) => {
  test('gets the changes of a backup that were delivered since once, on the same machine', async () => {
    const setup = await setUpBackup(fault)
    const { cli, restore, posts, entries, expenses } = setup
    await syncAll(setup, cli)
    const sent = posts()
    await restore(cli)
    expect(await cli.json('sync', 'list')).toEqual([])
    await syncAll(setup, cli)
    expect(posts()).toBe(sent)
    expect([(await entries()).length, (await expenses()).length]).toEqual([1, 1])
  })

  test('gets them once from another machine', async () => {
    const setup = await setUpBackup(fault)
    const { cli, otherMachine, restore, entries, expenses } = setup
    await syncAll(setup, cli)
    await restore(otherMachine)
    await syncAll(setup, otherMachine)
    expect([(await entries()).length, (await expenses()).length]).toEqual([1, 1])
    const [entry] = await entries()
    expect(await otherMachine.json('show', '~1')).toMatchObject({ id: entry?.id, notes: 'phone' })
  })

  test('gets them from a machine with changes of its own', async () => {
    const setup = await setUpBackup(fault)
    const { otherMachine, restore, entries, expenses } = setup
    await otherMachine.json('add', 'design', '--from', '11:00', '--for', '1h', '-n', 'own')
    await restore(otherMachine)
    await syncAll(setup, otherMachine)
    expect((await entries()).map(({ notes }) => notes).sort()).toEqual(['own', 'phone'])
    expect(await expenses()).toHaveLength(1)
  })
})

test('a service keeps later edits and deletions of restored changes, on the same machine', async () => {
  const setup = await setUpBackup(forwardWithoutKey)
  const { cli, restore, entries, expenses } = setup
  await syncAll(setup, cli)
  await cli.json('edit', '~1', '--notes', 'letter', '--for', '2h')
  const [expense] = await expenses()
  await cli.json('expenses', 'rm', String(expense?.id), '--yes')
  const before = (await entries()).map(summary)
  await restore(cli)
  await syncAll(setup, cli)
  expect((await entries()).map(summary)).toEqual(before)
  expect(await expenses()).toEqual([])
})

test('a service gets updates and deletions of a backup once', async () => {
  const setup = await setUpBackup(forwardWithoutKey)
  const { cli, proxy, restore, entries, expenses } = setup
  await syncAll(setup, cli)
  proxy.fault = dropRequest
  await cli.json('edit', '~1', '--notes', 'letter')
  const [expense] = await expenses()
  await cli.json('expenses', 'rm', String(expense?.id), '--yes')
  expect(await cli.json('backup', 'copy.tar.gz', '--yes')).toMatchObject({ pending: 2 })
  proxy.fault = forwardWithoutKey
  await syncAll(setup, cli)
  await restore(cli)
  await syncAll(setup, cli)
  expect((await entries()).map(({ notes }) => notes)).toEqual(['letter'])
  expect(await expenses()).toEqual([])
})

test('pending changes that are not in the backup are announced, and saved with the previous data', async () => {
  const { cli, proxy, restore, at, entries } = await setUpBackup(noFault)
  proxy.fault = dropRequest
  await cli.json('add', 'review', '--from', '11:00', '--for', '30m', '-n', 'later')
  const shown = await cli.run('restore', 'copy.tar.gz')
  expect(shown.stderr).toContain(
    'The current pending changes of a signed-out account (3, 1 of them not in the backup) are replaced by 2.',
  )
  await restore(cli)
  expect(await cli.json('sync', 'list')).toHaveLength(2)
  proxy.fault = noFault
  at('12:10:00')
  expect(await cli.run('restore', 'before-restore-2024-05-08-140000.tar.gz', '--yes')).toMatchObject({
    status: 0,
  })
  at('12:20:00')
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect((await entries()).map(({ notes }) => notes).sort()).toEqual(['later', 'phone'])
})

test('a local timer of the backup can be stopped and is delivered once', async () => {
  const { cli, proxy, entries } = await setUpService()
  proxy.fault = (request, forward) => {
    const isOpen = request.method === 'POST' && !request.body.includes('"time_end"')
    return isOpen ? { status: 422, headers: {}, body: '{"errors":{"time_end":["is required"]}}' } : forward()
  }
  await cli.json('start', 'design', '-n', 'phone')
  await cli.json('backup', 'copy.tar.gz')
  expect(await cli.run('restore', 'copy.tar.gz', '--yes')).toMatchObject({ status: 0 })
  cli.setTime('2024-05-08T13:00:00Z')
  expect(await cli.json('stop')).toMatchObject({ notes: 'phone', duration_seconds: 3600, pending: false })
  expect(await entries()).toHaveLength(1)
})

test('a rejected change of the backup can be corrected and retried, and is delivered once', async () => {
  const { cli, proxy, entries } = await setUpService()
  proxy.fault = (request, forward) =>
    request.method === 'POST' && request.body.includes('logo')
      ? { status: 422, headers: {}, body: '{"errors":{"notes":["are not allowed"]}}' }
      : forward()
  expect((await cli.run('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'logo')).status).toBe(7)
  await cli.json('backup', 'copy.tar.gz')
  expect(await cli.run('restore', 'copy.tar.gz', '--yes')).toMatchObject({ status: 0 })
  expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'refused' }])
  expect((await cli.run('edit', '~1', '--notes', 'sketch')).status).toBe(0)
  expect(await cli.json('sync', 'list')).toEqual([])
  expect((await entries()).map(({ notes }) => notes)).toEqual(['sketch'])
})
