import { expect, test } from 'vitest'
import type { LoggedEntryJson } from '../../src/records/shapes/entries.js'
import type { ReportJson } from '../../src/records/shapes/reports.js'
import { dropRequest } from '../support/proxy.js'
import { rejection } from '../support/rejection.js'
import type { TestCli } from '../support/test-cli.js'
import { type ServiceSetup, setUpService } from './service-fixtures.js'

/** Returns the seconds by notes from `tt report`, which reads in batches. */
async function sumReport(cli: TestCli, ...options: string[]): Promise<Record<string, number>> {
  const { groups } = await cli.json<ReportJson>(
    'report',
    ...['--since', '2024-01-01', '--by', 'notes', ...options],
  )
  return Object.fromEntries(groups.map(({ key, seconds }) => [key ?? '', seconds]))
}

/** Returns the seconds by notes from `tt log`. */
async function sumLog(cli: TestCli, ...options: string[]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { notes, duration_seconds: seconds } of await cli.json<LoggedEntryJson[]>(
    'log',
    ...['--since', '2024-01-01', ...options],
  ))
    sums[notes ?? ''] = (sums[notes ?? ''] ?? 0) + seconds
  return sums
}

const add = (cli: TestCli, notes: string, from: string, length = '1h') =>
  cli.run('add', 'Website/Design', '--from', `2024-05-07 ${from}`, '--for', length, '-n', notes, '-q')

/** Sets up a service with three entries that are cached. */
async function setUpEntries() {
  const setup = await setUpService()
  for (const [notes, from] of [
    ['one', '7:00'],
    ['two', '8:00'],
    ['three', '9:00'],
  ] as const)
    await add(setup.cli, notes, from)
  await setup.cli.run('log', '--since', '2024-01-01')
  setup.clearRequests()
  return setup
}

/** Runs an edit, a deletion and a create offline. */
async function changeOffline({ cli, proxy }: ServiceSetup) {
  await proxy.close()
  await cli.run('edit', '1', '--notes', 'one, longer', '--for', '2h')
  await cli.run('rm', '2', '--yes')
  await add(cli, 'four', '10:00', '30m')
}

const expected = { 'one, longer': 7200, three: 3600, four: 1800 }

test('offline, pending changes are applied to the cached entries', { tags: 'slow' }, async () => {
  const setup = await setUpEntries()
  await changeOffline(setup)
  expect(await sumReport(setup.cli)).toEqual(expected)
  expect(await sumLog(setup.cli)).toEqual(expected)
  const { stderr } = await setup.cli.run('report', '--since', '2024-01-01')
  expect(stderr).toContain('Showing cached data of')
  expect(await sumReport(setup.cli, '--where', 'notes_cont=one')).toEqual({ 'one, longer': 7200 })
})

test('a list that breaks off half-way is no report, and cached entries are not added to it', {
  tags: 'slow',
}, async () => {
  const setup = await setUpEntries()
  const { cli, proxy } = setup
  const many = Array.from({ length: 5000 }, (_, index) => ({
    id: 100 + index,
    time_start: '2024-05-07T12:00:00Z',
    time_end: '2024-05-07T12:01:00Z',
  }))
  const body = JSON.stringify(many)
  let lists = 0
  // The running timer is requested before the list.
  proxy.fault = (request, forward) =>
    request.path !== '/api/v1/timesheets' || ++lists === 1
      ? forward()
      : {
          status: 200,
          headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
          body: body.slice(0, -1000),
          isCutOff: true,
        }
  expect(await cli.run('report', '--since', '2024-01-01')).toMatchObject(rejection(6, 'connection lost'))
  proxy.fault = dropRequest
  // The cached entries remain.
  expect(Object.keys(await sumLog(cli))).toEqual(expect.arrayContaining(['one', 'two', 'three']))
})

test('a report stores its entries for offline use, and removes deleted ones', async () => {
  const { cli, proxy, sendAsOtherClient } = await setUpEntries()
  await sendAsOtherClient('DELETE', '/timesheets/2')
  await sendAsOtherClient('PATCH', '/timesheets/3', { notes: 'changed there' })
  await sumReport(cli)
  proxy.fault = dropRequest
  cli.setTime('2024-05-08T12:30:00Z')
  expect(await sumLog(cli)).toEqual({ one: 3600, 'changed there': 3600 })
  const { stderr } = await cli.run('log', '--since', '2024-01-01')
  expect(stderr).not.toContain('Some records may be missing')
})
