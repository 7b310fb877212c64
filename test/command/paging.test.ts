import { describe, expect, test } from 'vitest'
import type { Make } from '../support/foreign-service.js'
import { type Abroad, abroad, answerLost, typed } from '../support/foreign-service-setup.js'
import { passOn } from '../support/proxy.js'
import { openOffice } from './service-fixtures.js'

const announced = (total: number) => ({ 'X-Total-Count': String(total), 'X-Per-Page': '2' })
const paged: Make = { pages: { size: 2, headers: announced } }
/** Announces all records and sends the first page only. */
const cutOff: Make = { pages: { size: 2, headers: announced, ignoresPage: true } }

/** A person with 9 entries and as many expenses at a service that is not paged yet. */
async function withRecords(): Promise<Abroad> {
  const there = await abroad()
  const { elsewhere } = there
  for (let hour = 1; hour <= 9; hour++) {
    await typed(
      elsewhere,
      '18:00:00',
      'add',
      'design',
      '--from',
      `0${hour}:00`,
      '--for',
      '30m',
      '-n',
      `${hour}`,
    )
    await typed(elsewhere, '18:00:00', 'expenses', 'add', `${hour}.00`, '--type', 'Travel', '-n', `${hour}`)
  }
  there.desk.at('2024-05-08T18:00:00')
  elsewhere.at('2024-05-08T18:00:00')
  return there
}

const lists = [
  ['log', ['log', '--json']],
  ['log --ndjson', ['log', '--ndjson']],
  ['expenses', ['expenses', '--json']],
] as const

const numbers = (text: string) => [...text.matchAll(/"notes": ?"(\d)"/g)].map(([, notes]) => Number(notes))

describe('a service that announces pages without Link', () => {
  test.each(lists)('shows all records in `tt %s`', async (_, argv) => {
    const { desk, foreign } = await withRecords()
    foreign.make = paged
    const { stdout, stderr } = await desk.tt(...argv)
    expect(numbers(stdout)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(stderr).toBe('')
  })

  test('counts all entries in a report', async () => {
    const { desk, foreign } = await withRecords()
    foreign.make = paged
    expect(await desk.json('report', '--today')).toMatchObject({ count: 9, seconds: 9 * 1800 })
  })

  test('has an expense of a later page changed and deleted', async () => {
    const { desk, foreign, expenses } = await withRecords()
    foreign.make = paged
    const { id } = (await expenses())[8] ?? {}
    await desk.json('expenses', 'edit', String(id), '--notes', 'last')
    expect((await expenses())[8]).toMatchObject({ id, notes: 'last' })
    await desk.json('expenses', 'rm', String(id), '--yes')
    expect(await expenses()).toHaveLength(8)
  })
})

describe('a service whose lists cannot be read completely', () => {
  test.each(lists)('shows what has come in `tt %s`, with a warning', async (_, argv) => {
    const { desk, foreign } = await withRecords()
    foreign.make = cutOff
    const { status, stdout, stderr } = await desk.tt(...argv)
    expect(status).toBe(0)
    expect(numbers(stdout)).toEqual([1, 2])
    expect(stderr).toMatch(
      /The list of (time entries|expenses) is incomplete: the service announces 9 records, and 2 could be read\./,
    )
  })

  test.each([
    ['log', ['log', '--json']],
    ['report', ['report', '--today', '--json']],
  ])('leaves what is known for `tt %s` as it was when the service is gone', async (_, argv) => {
    const { desk, foreign, line } = await withRecords()
    const before = await desk.tt('log', '--json')
    foreign.make = cutOff
    await desk.tt(...argv)
    line.fate = () => undefined
    expect(numbers((await desk.tt('log', '--json')).stdout)).toEqual(numbers(before.stdout))
  })

  test('does not count as known completely', async () => {
    const { desk, foreign, line } = await withRecords()
    foreign.make = cutOff
    await desk.tt('log', '--json')
    line.fate = () => undefined
    const { stdout, stderr } = await desk.tt('log', '--json')
    expect(numbers(stdout)).toEqual([1, 2])
    expect(stderr).toContain('Some of it may be missing')
  })

  test('does not have an expense count as deleted', async () => {
    const { desk, foreign, expenses } = await withRecords()
    const { id } = (await expenses())[8] ?? {}
    await desk.json('expenses', 'edit', String(id), '--notes', 'ours')
    foreign.make = cutOff
    for (const argv of [['expenses', 'rm', String(id), '--yes'], ['undo']]) {
      const { status, stderr } = await desk.tt(...argv)
      expect(status).toBe(7)
      expect(stderr).toContain(`Cannot tell whether expense ${id} exists`)
    }
    foreign.make = {}
    expect(await expenses()).toHaveLength(9)
    await typed(desk, '18:10:00', 'undo')
    expect((await expenses())[8]).toMatchObject({ id, notes: '9' })
  })
})

test('the service of `tt serve` is not asked for a second page', async () => {
  const { desk, proxy, elsewhere } = await openOffice()
  for (let minute = 10; minute < 35; minute++) {
    const time = `2024-05-08T08:${minute}`
    const times = { time_start: `${time}:00Z`, time_end: `${time}:30Z` }
    await elsewhere('POST', '/timesheets', { ...times, task_link_id: 1, notes: 'one of many' })
  }
  proxy.seen.length = 0
  expect(await desk.json('log')).toHaveLength(25)
  expect(proxy.count('/api/v1/timesheets')).toBe(1)
})

describe('a service without pagination headers', () => {
  test('is asked for a second page once', async () => {
    const there = await abroad({ pages: { size: 100, ignoresPage: true } })
    const { desk, elsewhere, foreign } = there
    for (let minute = 10; minute < 30; minute++)
      await typed(elsewhere, '18:00:00', 'add', 'design', '--from', `08:${minute}`, '--for', '1m')
    foreign.seen.length = 0
    desk.at('2024-05-08T18:00:00')
    for (const _time of [1, 2]) expect(await desk.json('log')).toHaveLength(20)
    expect(await desk.json('report', '--today')).toMatchObject({ count: 20 })
    expect(foreign.seen.filter((request) => request.includes('?page'))).toEqual(['GET /timesheets?page=2'])
  })

  test('has a second page read', async () => {
    const { desk, elsewhere, foreign } = await abroad({ pages: { size: 20 } })
    for (let minute = 10; minute < 33; minute++)
      await typed(elsewhere, '18:00:00', 'add', 'design', '--from', `08:${minute}`, '--for', '1m')
    foreign.seen.length = 0
    desk.at('2024-05-08T18:00:00')
    expect(await desk.json('log')).toHaveLength(23)
    expect(await desk.json('report', '--today')).toMatchObject({ count: 23 })
  })
})

test('a create whose response is lost is found on a later page', async () => {
  const there = await withRecords()
  const { desk, foreign, line } = there
  foreign.make = { ...paged, ignores: ['keys'] }
  await typed(desk, '18:00:00', 'links')
  line.fate = answerLost
  await typed(desk, '18:00:00', 'add', 'design', '--from', '10:00', '--for', '30m', '-n', 'once')
  line.fate = passOn
  await typed(desk, '18:05:00', 'sync')
  expect((await there.entries()).filter(({ notes }) => notes === 'once')).toHaveLength(1)
})
