import { describe, expect, test } from 'vitest'
import type { ServiceVariant } from '../support/foreign-service.js'
import { type ForeignServiceSetup, setUpForeignService } from '../support/foreign-service-setup.js'
import { dropRequest, noFault, respondToAll } from '../support/proxy.js'
import { SeededRandom } from '../support/seeded-random.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const hour = 3600

interface LoggedEntry {
  notes: string
  seconds_in_period: number
  outside_period: string | null
}

interface Finding {
  from: string
  seconds: number
}

async function add(cli: TestCli, notes: string, from: string, to: string) {
  const { status, stderr } = await cli.run(
    ...['add', 'Website/Design', '--from', from, '--to', to, '-n', notes, '--yes'],
  )
  expect(status, stderr).toBe(0)
}

/** A finished entry of 40 days that ends in May, one of 8 days that ends before, and a short one. */
async function addLongEntries(cli: TestCli) {
  await add(cli, 'forty', '2024-03-25 09:00', '2024-05-04 09:00')
  await add(cli, 'eight', '2024-04-20 10:00', '2024-04-28 10:00')
  await add(cli, 'short', '2024-05-06 09:00', '2024-05-06 10:00')
}

const may = ['--since', '2024-05-01']
const logOf = (cli: TestCli, ...options: string[]) => cli.json<LoggedEntry[]>('log', ...may, ...options)
const notesOf = async (cli: TestCli, ...options: string[]) =>
  (await logOf(cli, ...options)).map(({ notes }) => notes)
const secondsOf = async (cli: TestCli, ...options: string[]) =>
  (await cli.json<{ seconds: number }>('report', ...may, ...options)).seconds

/** Expects the log, the report, the gaps and the findings of May to contain the entry of 40 days. */
async function expectAll(cli: TestCli) {
  expect(await logOf(cli)).toMatchObject([
    { notes: 'forty', seconds_in_period: 81 * hour, outside_period: 'before' },
    { notes: 'short', seconds_in_period: hour, outside_period: null },
  ])
  expect(await secondsOf(cli)).toBe(82 * hour)
  const gaps = await cli.json<Finding[]>('check', ...may, '--gaps')
  const uncovered = ['2024-05-06T10:00', '2024-05-07T09:00', '2024-05-08T09:00']
  expect(gaps.map(({ from }) => from.slice(0, 16))).toEqual(uncovered)
  const long = await cli.json<Finding[]>('check', ...may, '--long')
  expect(long.map(({ seconds }) => seconds)).toEqual([40 * 24 * hour - summerTime])
}

/** The clocks go forward on 31 March 2024 in Berlin, and in no other zone that the tests use. */
const summerTime =
  (new Date('2024-03-25T09:00').getTimezoneOffset() - new Date('2024-05-04T09:00').getTimezoneOffset()) * 60

describe('an entry of 40 days', () => {
  test('is found in the local workspace', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await addLongEntries(cli)
    await expectAll(cli)
  })

  test('is found at a service, with one more request by its end', async () => {
    const { cli, otherCli, service } = await setUpForeignService({}, '12:00:00')
    await addLongEntries(otherCli)
    service.filters.splice(0)
    await expectAll(cli)
    const filter = service.filters.find((q) => q.includes('time_end_gteq'))
    expect(JSON.parse(filter ?? '{}')).toEqual({ time_end_gteq: '2024-04-29', time_start_lt: '2024-04-09' })
  })

  const variants: [string, ServiceVariant][] = [
    ['rejects the filter by end', { timeEndFilter: { status: 422 } }],
    ['crashes on the filter by end', { timeEndFilter: { status: 500 } }],
    ['ignores the filter by end', { timeEndFilter: 'ignored' }],
  ]
  test.each(variants)('is found at a service that %s once its length is known', async (_, variant) => {
    const { cli, otherCli, service } = await setUpForeignService(variant, '12:00:00')
    await addLongEntries(otherCli)
    // An older entry shows that the service ignores the filter.
    await add(otherCli, 'old', '2024-01-10 09:00', '2024-01-10 10:00')
    expect(await notesOf(cli)).toEqual(['short'])
    expect(await secondsOf(cli)).toBe(hour)
    // What --long reads has no limit.
    const long = await cli.json<Finding[]>('check', ...may, '--long')
    expect(long).toMatchObject([{ kind: 'long' }])
    await expectAll(cli)
    // The command sends the filter only once.
    expect(service.filters.filter((q) => q.includes('time_end_gteq'))).toHaveLength(1)
  })

  test('is found by its end again once the service has stopped crashing', async () => {
    const { cli, otherCli, service } = await setUpForeignService(
      { timeEndFilter: { status: 500 } },
      '12:00:00',
    )
    await addLongEntries(otherCli)
    expect(await notesOf(cli)).toEqual(['short'])
    expect((await cli.run('log', ...may)).stderr).toBe('')
    service.variant = {}
    cli.setTime('2024-05-09T13:00:00')
    expect(await notesOf(cli)).toEqual(['forty', 'short'])
  })

  const outages: [string, ServiceVariant][] = [
    ['502', { timeEndFilter: { status: 502 } }],
    ['500 and Retry-After', { timeEndFilter: { status: 500, headers: { 'retry-after': '1' } } }],
  ]
  test.each(outages)('is in the cached data after %s in response to the filter by end', async (_, outage) => {
    const { cli, otherCli, service } = await setUpForeignService({}, '12:00:00')
    await addLongEntries(otherCli)
    await logOf(cli)
    service.variant = outage
    const { stdout, stderr } = await cli.run('log', ...may, '--json')
    expect(stderr).toMatch(/Showing cached data/)
    expect((JSON.parse(stdout) as LoggedEntry[]).map(({ notes }) => notes)).toEqual(['forty', 'short'])
    service.variant = {}
    cli.setTime('2024-05-08T12:05:00')
    service.filters.splice(0)
    expect((await cli.run('log', ...may)).stderr).toBe('')
    expect(service.filters.filter((q) => q.includes('time_end_gteq'))).toHaveLength(1)
  })

  test('is in the cached data of a service that responds to everything with 500', async () => {
    const { cli, otherCli, proxy, service } = await setUpForeignService({}, '12:00:00')
    await addLongEntries(otherCli)
    await logOf(cli)
    proxy.fault = respondToAll(500)
    expect((await cli.run('log', ...may)).stderr).toMatch(/Showing cached data/)
    expect(await notesOf(cli)).toEqual(['forty', 'short'])
    proxy.fault = noFault
    cli.setTime('2024-05-08T12:05:00')
    service.filters.splice(0)
    expect(await notesOf(cli)).toEqual(['forty', 'short'])
    expect(service.filters.filter((q) => q.includes('time_end_gteq'))).toHaveLength(1)
  })

  test('is found at a service that ignores all filters', async () => {
    const { cli, otherCli } = await setUpForeignService({ ignores: ['q', 'keys'] }, '12:00:00')
    await addLongEntries(otherCli)
    await expectAll(cli)
  })

  test('is in the cached data of its last days without the service', async () => {
    const { cli, otherCli, proxy } = await setUpForeignService({}, '12:00:00')
    await addLongEntries(otherCli)
    await logOf(cli)
    proxy.fault = dropRequest
    await expectAll(cli)
    // The list by overlap covers the period, although no entry before it was read.
    const { stderr } = await cli.run('log', ...may)
    expect(stderr).toMatch(/Showing cached data/)
    expect(stderr).not.toMatch(/incomplete/)
    proxy.fault = noFault
    await otherCli.run('rm', '1', '--yes')
    expect(await notesOf(cli)).toEqual(['short'])
    proxy.fault = dropRequest
    expect(await notesOf(cli)).toEqual(['short'])
  })

  test('is found with a filter of the service', async () => {
    const { cli, otherCli } = await setUpForeignService({}, '12:00:00')
    await addLongEntries(otherCli)
    expect(await notesOf(cli, '--where', 'notes_cont=fort')).toEqual(['forty'])
    expect(await notesOf(cli, '--where', 'notes_cont=shor')).toEqual(['short'])
    expect(await secondsOf(cli, '--where', 'notes_cont=fort')).toBe(81 * hour)
  })

  test('is warned of when a new entry overlaps it', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await addLongEntries(cli)
    const { stderr } = await cli.run(
      ...['add', 'Website/Design', '--from', '2024-05-02 09:00', '--to', '2024-05-02 10:00'],
    )
    expect(stderr).toMatch(/Overlap of 1h 00m/)
  })
})

describe('an entry that extends outside of the period', () => {
  test('is marked at both sides, while it runs as well', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await cli.run('start', 'Website/Design', '--at', '2024-05-06 22:00')
    const [entry] = await cli.json<LoggedEntry[]>('log', 'yesterday')
    expect(entry).toMatchObject({ outside_period: 'both', seconds_in_period: 24 * hour, running: true })
    expect((await cli.json<{ seconds: number }>('report', 'yesterday')).seconds).toBe(24 * hour)
    expect(await cli.json('log', '--since', '2024-05-01', '--until', '2024-05-05')).toEqual([])
  })

  test('keeps its place by start, also with --limit', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await addLongEntries(cli)
    expect(await notesOf(cli, '--limit', '1')).toEqual(['short'])
    expect(await notesOf(cli, '--limit', '2')).toEqual(['forty', 'short'])
  })
})

describe('random entries of up to 40 days', () => {
  /** Adds entries and returns their intervals in epoch seconds. */
  async function addRandom(cli: TestCli, random: () => number) {
    const entries: { from: number; to: number }[] = []
    for (let index = 0; index < 12; index++) {
      const from = Date.UTC(2024, 1, 1) / 1000 + Math.floor(random() * 90 * 24) * hour
      const longest = random() < 0.5 ? 40 * 24 : 12
      const to = Math.min(from + Math.floor(1 + random() * longest) * hour, Date.UTC(2024, 4, 8) / 1000)
      entries.push({ from, to })
      const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
      await add(cli, String(index), iso(from), iso(to))
    }
    return entries
  }

  const overlaps = (a: { from: number; to: number }, b: { from: number; to: number }) =>
    Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))

  test.each([
    ['local', 71],
    ['service', 72],
    ['offline', 73],
  ])('have the same time in log and report as in a calculation: %s, seed %i', async (where, seed) => {
    const seeded = new SeededRandom(String(seed))
    const random = () => seeded.next()
    const setup: Partial<ForeignServiceSetup> =
      where === 'local' ? {} : await setUpForeignService({}, '12:00:00')
    const cli = setup.cli ?? createTestCli('2024-05-08T12:00:00')
    const entries = await addRandom(setup.otherCli ?? cli, random)
    if (where === 'offline' && setup.proxy) {
      await cli.run('log', '--since', '2024-01-01')
      setup.proxy.fault = dropRequest
    }
    for (let round = 0; round < 8; round++) {
      const since = `2024-0${2 + Math.floor(random() * 3)}-${10 + Math.floor(random() * 18)}`
      const days = 1 + Math.floor(random() * 10)
      const last = new Date(Date.parse(since) + (days - 1) * 86_400_000).toISOString().slice(0, 10)
      const [from, to] = [`${since}T00:00`, `${last}T24:00`].map((time) => Date.parse(time) / 1000)
      const period = { from: from as number, to: to as number }
      const options = ['--since', since, '--until', last]
      const expected = entries.reduce((sum, entry) => sum + overlaps(entry, period), 0)
      const log = await cli.json<LoggedEntry[]>('log', ...options)
      expect(
        log.reduce((sum, entry) => sum + entry.seconds_in_period, 0),
        options.join(' '),
      ).toBe(expected)
      const { seconds } = await cli.json<{ seconds: number }>('report', ...options)
      expect(seconds, options.join(' ')).toBe(expected)
    }
  })
})
