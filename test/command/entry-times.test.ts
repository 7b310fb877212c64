import { expect, test } from 'vitest'
import { entryTimesType } from '../../src/api-client/types.js'
import { dropRequest, type Fault, jsonResponse, noFault } from '../support/proxy.js'
import { rejection } from '../support/rejection.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import type { TestCli } from '../support/test-cli.js'
import { preparedService, type Row, type ServiceSetup } from './service-fixtures.js'

const accepts = (header: string | undefined) => header?.includes(entryTimesType) === true

const prepareEntries = preparedService(async (setup) => {
  for (const [day, notes] of [
    ['06', 'one'],
    ['07', 'two'],
    ['07', 'three'],
  ])
    await create(setup, {
      time_start: `2024-05-${day}T07:00:00Z`,
      time_end: `2024-05-${day}T08:00:00Z`,
      notes,
    })
  await setup.cli.run('log', '--since', '2024-01-01')
})

/** Sets up a service with three entries that are cached, two of them of one day. */
async function setUpEntries(): Promise<ServiceSetup> {
  const setup = await prepareEntries()
  setup.clearRequests()
  return setup
}

const create = ({ sendAsOtherClient }: ServiceSetup, fields: Row) =>
  sendAsOtherClient('POST', '/timesheets', { task_link_id: 1, ...fields })

async function report(cli: TestCli, ...options: string[]) {
  const argv = ['report', '--since', '2024-01-01', '--by', 'project', '--json', ...options]
  const { status, stdout, stderr } = await cli.run(...argv)
  return { status, stdout, stderr }
}

/** Returns the entries by ID as the log shows them offline, and then allows requests again. */
async function logOffline({ cli, proxy }: ServiceSetup): Promise<{ entries: Row[]; stderr: string }> {
  proxy.fault = dropRequest
  const { stdout, stderr } = await cli.run('log', '--since', '2024-01-01', '--json')
  proxy.fault = noFault
  // The circuit breaker stays open for a while.
  await cli.run('sync')
  const entries = (JSON.parse(stdout) as Row[])
    .map(comparedFields)
    .sort((a, b) => Number(a.id) - Number(b.id))
  return { entries, stderr }
}

const instant = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-.*T/.test(value) ? new Date(value).toISOString() : value

const comparedFields = (entry: object): Row =>
  Object.fromEntries(
    Object.entries(entry)
      .filter(([name]) => /^(id|time_start|time_end|notes|task_link_id|updated_at)$/.test(name))
      .map(([name, value]) => [name, instant(value)]),
  )

/** Responds to the request for times with a body of that type. */
const respondWithTimes =
  (body: string, more: Row = {}): Fault =>
  ({ headers }, forward) =>
    accepts(headers.accept)
      ? { ...jsonResponse(200, body, { 'content-type': entryTimesType, link: '<?>; rel=last' }), ...more }
      : forward()

test('a report from times is the same as from records, and the cache is the same afterwards', {
  tags: 'slow',
}, async () => {
  const random = new SeededRandom(chooseSeed('reports from times'))
  const setup = await setUpEntries()
  const { cli, proxy, sendAsOtherClient } = setup
  const reports = [
    ['--by', 'task,day'],
    ['--by', 'week', '--round', '15m'],
    ['--by', 'client,project', '--until', '2024-05-08'],
    ['--by', 'month', '--since', '2024-05-07'],
  ]
  const randomTimes = () => {
    const start = Date.parse('2024-05-01T00:00:00Z') + random.between(0, 7 * 24 * 60) * 60_000
    const end = random.chance(0.1) ? undefined : start + random.between(0, 50 * 60) * 60_000
    return { time_start: new Date(start), ...(end === undefined ? {} : { time_end: new Date(end) }) }
  }
  for (let round = 0; round < 6; round++) {
    for (let change = 0; change < random.between(0, 4); change++) {
      const ids = (await setup.entries()).map(({ id }) => id)
      const kind = ids.length === 0 ? 'create' : random.weighted({ create: 3, update: 2, delete: 1 })
      if (kind === 'create') await create(setup, { ...randomTimes(), notes: `round ${round}` })
      else if (kind === 'delete') await sendAsOtherClient('DELETE', `/timesheets/${random.pick(ids)}`)
      else
        await sendAsOtherClient('PATCH', `/timesheets/${random.pick(ids)}`, {
          notes: `changed in round ${round}`,
          ...(random.chance(0.5) ? { time_end: null, ...randomTimes() } : {}),
        })
    }
    const options = random.pick(reports)
    let lists = 0
    proxy.fault = async ({ headers }, forward) => {
      const response = await forward()
      if (accepts(headers.accept)) expect(response.headers['content-type']).toBe(entryTimesType)
      if (accepts(headers.accept)) lists++
      return response
    }
    const fromTimes = await report(cli, ...options)
    const whole = await report(cli)
    expect(lists).toBe(2)
    expect((await logOffline(setup)).entries).toEqual((await setup.entries()).map(comparedFields))
    // A service without the representation sends records.
    proxy.fault = ({ headers }, forward) => {
      headers.accept = 'application/json'
      return forward()
    }
    expect(await report(cli, ...options)).toEqual(fromTimes)
    expect(await report(cli)).toEqual(whole)
    expect(fromTimes).toMatchObject({ status: 0, stderr: '' })
    proxy.fault = noFault
  }
})

test('only the records around a change are requested again, and the age of the cache is that of the report', async () => {
  const setup = await setUpEntries()
  const { cli, proxy, sendAsOtherClient } = setup
  cli.setTime('2024-05-08T13:00:00Z')
  await report(cli)
  // The running timer, the entries that reach into the period, and the times.
  const unchanged = proxy.count('/api/v1/timesheets')
  await sendAsOtherClient('PATCH', '/timesheets/2', { notes: 'changed there' })
  setup.clearRequests()
  cli.setTime('2024-05-08T13:10:00Z')
  await report(cli)
  expect(proxy.count('/api/v1/timesheets')).toBe(unchanged + 1)
  cli.setTime('2024-05-08T13:20:00Z')
  const { entries, stderr } = await logOffline(setup)
  expect(entries.map(({ notes }) => notes)).toEqual(['one', 'changed there', 'three'])
  expect(stderr).toMatch(/Showing cached data of 10 minutes ago|Showing cached data of .*:10/)
})

test('a report is complete when the changed records cannot be requested', async () => {
  const setup = await setUpEntries()
  const { cli, proxy, sendAsOtherClient } = setup
  await sendAsOtherClient('PATCH', '/timesheets/2', { time_end: '2024-05-07T09:00:00Z', notes: 'longer' })
  let hasTimes = false
  proxy.fault = async ({ headers, path }, forward) => {
    if (hasTimes && path === '/api/v1/timesheets') return undefined
    const response = await forward()
    hasTimes ||= accepts(headers.accept)
    return response
  }
  const { status, stdout } = await report(cli)
  expect([status, (JSON.parse(stdout) as { seconds: number }).seconds]).toEqual([0, 4 * 3600])
  expect((await logOffline(setup)).entries.map(({ notes }) => notes)).toEqual(['one', 'two', 'three'])
  await report(cli)
  expect((await logOffline(setup)).entries.map(({ notes }) => notes)).toEqual(['one', 'longer', 'three'])
})

test('times that cannot be read are handled like an invalid record', async () => {
  const setup = await setUpEntries()
  const { cli, proxy } = setup
  proxy.fault = respondWithTimes('[{"id":1,"time_end":0,"task_link_id":1,"updated_at":0}]')
  const found = await report(cli)
  expect(found.stderr).toContain('Showing cached data')
  proxy.fault = ({ headers }, forward) =>
    accepts(headers.accept) ? jsonResponse(200, '[{"id":1,"time_start":"x"}]') : forward()
  expect({ ...(await report(cli)), stderr: '' }).toEqual({ ...found, stderr: '' })
  expect((await logOffline(setup)).entries.map(({ notes }) => notes)).toEqual(['one', 'two', 'three'])
})

test.each([406, 415])(
  'a service that responds to the media type with %s receives it once, and another request for records',
  async (status) => {
    const { cli, proxy, clearRequests } = await setUpEntries()
    const expected = (await report(cli)).stdout
    proxy.fault = ({ headers }, forward) =>
      accepts(headers.accept) ? jsonResponse(status, '{"error":"not_acceptable"}') : forward()
    clearRequests()
    for (let time = 0; time < 2; time++)
      expect(await report(cli)).toMatchObject({ status: 0, stdout: expected, stderr: '' })
    expect(proxy.requests.filter(({ headers }) => accepts(headers.accept))).toHaveLength(1)
  },
)

test('times that break off are no report, and cached entries replace them when nothing has arrived', {
  tags: 'slow',
}, async () => {
  const setup = await setUpEntries()
  const { cli, proxy } = setup
  const entries = Array.from({ length: 6000 }, (_, index) => ({
    ...{ id: 10_000 + index, time_start: 1714554000000 + index, time_end: 1714557600000 },
    ...{ task_link_id: 1, updated_at: 0 },
  }))
  const cut = { isCutOff: true }
  proxy.fault = respondWithTimes(JSON.stringify(entries).slice(0, -50_000), cut)
  expect(await report(cli)).toMatchObject(rejection(6, 'connection lost'))
  cli.setTime('2024-05-08T14:00:00Z')
  proxy.fault = respondWithTimes('[{"id":1', cut)
  const { status, stdout, stderr } = await report(cli)
  expect([status, (JSON.parse(stdout) as { seconds: number }).seconds]).toEqual([0, 3 * 3600])
  expect(stderr).toContain('Showing cached data')
})

test('with pending changes, filters or notes, and without cached entries, records are requested', async () => {
  const setup = await setUpEntries()
  const { cli, proxy } = setup
  const timesRequests = () => {
    const count = proxy.requests.filter(({ headers }) => accepts(headers.accept)).length
    setup.clearRequests()
    return count
  }
  await report(cli)
  expect(timesRequests()).toBe(1)
  await report(cli, '--where', 'id_gteq=2')
  await report(cli, '--by', 'notes')
  await report(cli, '--since', '2020-01-01', '--until', '2020-02-01')
  expect(timesRequests()).toBe(0)
  proxy.fault = ({ method }, forward) =>
    method === 'GET' ? forward() : jsonResponse(422, { message: 'No.' })
  await cli.run('add', 'Website/Design', '--from', '2024-05-05 9:00', '--for', '2h')
  timesRequests()
  const { stdout } = await report(cli)
  expect((JSON.parse(stdout) as { seconds: number }).seconds).toBe(5 * 3600)
  expect(timesRequests()).toBe(0)
})
