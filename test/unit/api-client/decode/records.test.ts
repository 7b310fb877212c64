import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAmount, readTime } from '../../../../src/api-client/decode/records.js'
import { type EntryTimes, entryTimesType, type TimeEntry } from '../../../../src/api-client/types.js'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf, serveJson, serveResponse } from '../test-server.js'

const entry = {
  id: 7,
  time_start: '2024-05-01T09:30:00.000Z',
  time_end: null,
  notes: 'Review',
  task_link_id: 12,
  colour: 'green',
  active: 'paused',
}

test.each([
  ['an object', entry],
  ['a list of one under one key', { data: [entry] }],
])(
  'reads an entry from %s, including fields that are unknown or that only other kinds have',
  async (_, value) => {
    const service = await serveJson({ 'GET /timesheets/7': value })
    expect(await service.api().getTimeEntry(7)).toEqual(entry)
  },
)

test('missing fields of an entry are null, and nested records become IDs', async () => {
  const task_link = { id: 'l-1', name: 'Design' }
  const entries = [
    { id: 'e-1', time_start: '2024-05-01 09:30:00 +0200', task_link, external_id: 5 },
    { id: 2, time_start: 1_714_555_800, time_end: '', task_link: null },
  ]
  const service = await serveJson({ 'GET /timesheets': { total: 2, entries } })
  const missing = { time_end: null, notes: null }
  expect(await service.api().listTimeEntries()).toEqual([
    {
      ...entries[0],
      ...missing,
      time_start: '2024-05-01T07:30:00.000Z',
      task_link_id: 'l-1',
      external_id: '5',
    },
    { ...entries[1], ...missing, time_start: entry.time_start, task_link_id: null },
  ])
})

test('reads reference data that is flat or nested, with a name or a title', async () => {
  const website = { id: 1, name: 'Website' }
  const service = await serveJson({
    'GET /projects': [
      { id: 1, name: 'Website', client_id: 4, active: 'false' },
      { id: '2', title: 'App', client: { id: 'c', name: 'Acme' }, active: 1 },
      { id: 3 },
    ],
    'GET /clients': [
      { id: 1, name: 'Acme', active: '0' },
      { id: 2, name: null, active: null },
    ],
    'GET /tasks': [{ id: 1, name: 'Design', active: 1 }, { id: 2 }],
    'GET /task_links': [
      { id: 1, project_id: 1, task_id: 2 },
      { id: 2, project: website, task: { id: 2 } },
      { id: 3, project: 1, task: 'Design' },
    ],
    'GET /assignments': [{ id: 1, project: website, starts_on: '2024-05-01T00:00:00Z' }],
  })
  const api = service.api()
  expect(await api.listProjects()).toEqual([
    { id: 1, name: 'Website', client_id: 4, active: false },
    { id: '2', name: 'App', title: 'App', client_id: 'c', client: { id: 'c', name: 'Acme' }, active: true },
    { id: 3, name: '3', client_id: null },
  ])
  expect(await api.listClients()).toEqual([
    { id: 1, name: 'Acme', active: false },
    { id: 2, name: '2', active: true },
  ])
  expect(await api.listTasks()).toEqual([
    { id: 1, name: 'Design', active: true },
    { id: 2, name: '2' },
  ])
  expect(await api.listTaskLinks()).toEqual([
    { id: 1, project_id: 1, task_id: 2 },
    { id: 2, project_id: 1, task_id: 2, project: website, task: { id: 2 } },
    { id: 3, project_id: 1, task_id: null, project: 1, task: 'Design' },
  ])
  expect(await api.listAssignments()).toEqual([
    { id: 1, project_id: 1, project: website, starts_on: '2024-05-01', ends_on: null },
  ])
})

test('an expense has a decimal amount and its relations', async () => {
  const full = { id: 1, expense_type: { id: 3 }, project_id: 4, receipt: 'r.pdf' }
  const service = await serveJson({ 'GET /expenses': [{ ...full, amount: 12.5 }, { id: 2 }] })
  const missing = { spent_on: null, currency: null, notes: null }
  expect(await service.api().listExpenses()).toEqual([
    { ...full, ...missing, amount: '12.5', expense_type_id: 3 },
    { ...missing, id: 2, amount: null, expense_type_id: null, project_id: null },
  ])
})

const link = { id: 5, project_id: 1, task_id: 2 }

test.each<[string, unknown, object]>([
  ['task links', link, link],
  ['counts beside an id', { task_link_id: 5, count: 9, project_id: 1, task_id: 2 }, link],
  [
    'counts beside a task link',
    { id: 9, count: 9, task_link: { id: 5, project: { id: 1 }, task_id: 2 } },
    link,
  ],
  ['bare IDs', 'six', { id: 'six' }],
])('reads the most used tasks from %s', async (_, value, expected) => {
  const service = await serveJson({ 'GET /timesheets/most_used_tasks': [value] })
  expect(await service.api().mostUsedTasks()).toMatchObject([expected])
})

test('reads a company without an ID', async () => {
  const service = await serveJson({ 'GET /companies': { name: 'Acme', settings: {} } })
  expect(await service.api().getCompany()).toMatchObject({ id: 'Acme', name: 'Acme', settings: {} })
})

test.each([
  ['', 'expected a list of time entries, received nothing'],
  ['null', 'expected a list of time entries, received null'],
  ['{"a":[],"b":[]}', 'expected a list of time entries, received an object'],
  ['[{}]', 'the ID of a time entry is nothing'],
  ['[5]', 'expected one time entry, received 5'],
  ['[{"id":""}]', 'the ID of a time entry is ""'],
  ['[{"id":9007199254740993}]', 'the ID of a time entry is 9007199254740992'],
  ['[{"id":1}]', 'time_start is not a time (nothing)'],
  ['[{"id":1,"time_start":"2024-05-01","time_end":"late"}]', 'time_end is not a time ("late")'],
  ['[{"id":1,"time_start":"2024-05-01","task_link_id":{}}]', 'the ID of a task_link is an object'],
])('rejects the list %s and names the flaw', async (body, message) => {
  const service = await serveResponse(200, body)
  expect(await rejectionOf(service.api().listTimeEntries())).toMatchObject({
    code: 'rejected',
    message: `Invalid response from the service: ${message}.`,
  })
})

test('reads 100,000 entries in less than 5 s of processor time', { tags: 'slow' }, async () => {
  const entries = Array.from({ length: 100_000 }, (_, index) => ({ ...entry, id: index + 1 }))
  const service = await serveResponse(200, JSON.stringify(entries))
  const before = process.cpuUsage()
  expect(await service.api().listTimeEntries()).toHaveLength(100_000)
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(5_000_000) // Microseconds.
})

test.each([
  ['2024-05-01T09:30:00.000Z', '2024-05-01T09:30:00.000Z'],
  ['2024-02-29T09:30:00.000Z', '2024-02-29T09:30:00.000Z'],
  ['2024-05-01T09:30Z', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01T00:30:00-0530', '2024-05-01T06:00:00.000Z'],
  ['2024-05-01T09:30:00.1234567+02', '2024-05-01T07:30:00.123Z'],
  ['2024-05-01 09:30:00 UTC', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01 09:30:00 +0200', '2024-05-01T07:30:00.000Z'],
  ['2024-05-01T09:30:00.5', '2024-05-01T09:30:00.500Z'],
  ['2024-05-01', '2024-05-01T00:00:00.000Z'],
  [1_714_555_800.25, '2024-05-01T09:30:00.250Z'],
  [1_714_555_800_123, '2024-05-01T09:30:00.123Z'],
])('the time %s is read as %s', (value, expected) => {
  expect(readTime(value, 'time_start')).toBe(expected)
})

test.each([
  ...['', 'soon', '2024-13-01T09:30:00.000Z', '2024-02-30T09:30:00.000Z', '2023-02-29T09:30:00Z'],
  ...['2024-05-01T25:00:00Z', '2024-05-01T09:61:00Z', '2024-05-01T09:30:00+99:00'],
  ...['0000-01-01T00:00:00+01:00', 1e300, null, ['2024-05-01']],
])('rejects %j as a time and names the field', (value) => {
  const message = expect.stringContaining('time_start is not a time')
  expect(() => readTime(value, 'time_start')).toThrow(expect.objectContaining({ code: 'rejected', message }))
})

test('reads every instant of four-digit years with any offset', () => {
  const instants = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000).toISOString()
      fc.pre(/^\d{4}-/.test(local))
      const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`
      expect(readTime(local.replace('Z', zone), 'time_start')).toBe(instant.toISOString())
      expect(
        readTime(instant.getTime() < 1e11 ? instant.getTime() / 1000 : instant.getTime(), 'at'),
      ).toBeTruthy()
    }),
  )
})

test('reads any text as a time in RFC 3339 or throws a TtError', () => {
  const nearly = fc.stringMatching(/^\d{4}-[01]\d-[0-3]\dT[0-2]\d:\d\d:\d\d\.\d{3}Z$/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearly), (text) => {
      try {
        const read = readTime(text, 'time_start')
        expect(new Date(read).toISOString()).toBe(read)
      } catch (error) {
        expect(error).toBeInstanceOf(TtError)
      }
    }),
  )
})

test.each([
  ['12.50', '12.50'],
  [12.5, '12.5'],
  ['-3', '-3'],
  ['+3.0', '3.0'],
  [' 7 ', '7'],
  ['0.125e2', '12.5'],
  ['0.1e1', '1'],
  ['0.5e-3', '0.0005'],
  ['-0.12e5', '-12000'],
  ['0.0e0', '0'],
])('the amount %s is read as %s', (value, expected) => {
  expect(readAmount(value, 'amount')).toBe(expected)
})

test.each(['', 'much', '1,50', '1.', '1e999', Number.POSITIVE_INFINITY, null, {}])(
  'rejects %j as an amount',
  (value) => {
    const message = expect.stringContaining('amount is not an amount')
    expect(() => readAmount(value, 'amount')).toThrow(expect.objectContaining({ code: 'rejected', message }))
  },
)

test('an amount without its exponent is the same number', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e60, max: 1e60, noNaN: true }), (amount) => {
      fc.pre(amount === 0 || Math.abs(amount) > 1e-60)
      const read = readAmount(amount, 'amount')
      expect(read).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(read)).toBe(amount + 0)
    }),
  )
})

const times = { id: 1, time_start: -62167219200000, time_end: 1714557600000, task_link_id: 7, updated_at: 1 }

/** Serves a body with the media type of entry times, and reads it. */
async function readTimes(body: string, type = `${entryTimesType}; charset=utf-8`) {
  const service = await serveResponse(200, body, { 'content-type': type, link: '<?>; rel="first last"' })
  const found: (EntryTimes | TimeEntry)[] = []
  for await (const entries of service.api().streamEntryTimes()) found.push(...entries)
  return { found, requests: service.requests }
}

test('entry times are requested beside JSON, and each ID is read once', async () => {
  const running = { ...times, id: 2, time_end: null, task_link_id: null }
  const { found, requests } = await readTimes(JSON.stringify([times, running, times]))
  expect(requests.map(({ headers }) => headers.accept)).toEqual([
    'application/vnd.tt.entry-times+json, application/json;q=0.9',
  ])
  expect(found).toEqual([times, running])
})

test('JSON records of another service are read as records', async () => {
  const { found } = await readTimes('[{"id":1,"time_start":"2024-05-01T09:00:00+02:00"}]', 'application/json')
  expect(found).toEqual([
    { id: 1, time_start: '2024-05-01T07:00:00.000Z', time_end: null, notes: null, task_link_id: null },
  ])
})

test.each([
  ['a record', { id: 1, time_start: '2024-05-01T09:00:00Z' }, 'time_start of an entry is "2024'],
  ['a list', [1, 2], 'expected times of an entry, received a list of 2'],
  ['an ID as text', { ...times, id: '1' }, 'id of an entry is "1"'],
  ['a huge ID', { ...times, id: 2 ** 53 }, 'id of an entry is 9007199254740992'],
  ['a fraction as ID', { ...times, id: 1.5 }, 'id of an entry is 1.5'],
  ['a missing start', { ...times, time_start: null }, 'time_start of an entry is null'],
  ['a start after the year 9999', { ...times, time_start: 253402300800000 }, 'time_start of an entry is'],
  ['a start before the year 0', { ...times, time_start: -62167219200001 }, 'time_start of an entry is'],
  ['a fraction as end', { ...times, time_end: 0.5 }, 'time_end of an entry is 0.5'],
  ['an object as task link', { ...times, task_link_id: { id: 1 } }, 'task_link_id of an entry is an object'],
  ['a missing time of the last change', { ...times, updated_at: null }, 'updated_at of an entry is null'],
])('times with %s are rejected', async (_, element, problem) => {
  const failure = await rejectionOf(readTimes(JSON.stringify([times, element])))
  expect(failure).toMatchObject({ code: 'rejected' })
  expect(failure.message).toContain(`Invalid response from the service: ${problem}`)
})
