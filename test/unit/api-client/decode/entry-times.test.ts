import { expect, test } from 'vitest'
import {
  type EntryTimes,
  entryTimesColumns,
  entryTimesType,
  type TimeEntry,
} from '../../../../src/api-client/types.js'
import { rejectionOf, serveResponse, startServer } from '../test-server.js'

const batch = {
  id: [1, 2],
  time_start: [-62167219200000, 1714554000000],
  time_end: [1714557600000, null],
  task_link_id: [7, null],
  updated_at: [1714557600001, 1714554000000],
}

/** Serves a body with the media type of entry times, and reads it. */
async function readTimes(body: string, type = `${entryTimesType}; charset=utf-8`) {
  const service = await serveResponse(200, body, { 'content-type': type, link: '<?>; rel="first last"' })
  const found: (EntryTimes | TimeEntry)[] = []
  for await (const entries of service.api().streamEntryTimes()) found.push(...entries)
  return { found, requests: service.requests }
}

test('entry times are requested beside JSON, and are read from columns in several batches', async () => {
  const more = { ...batch, id: [3, 4] }
  const { found, requests } = await readTimes(`[${JSON.stringify(batch)},\n${JSON.stringify(more)}]`)
  expect(requests.map(({ headers }) => headers.accept)).toEqual([
    'application/vnd.tt.entry-times+json, application/json;q=0.9',
  ])
  expect(found).toEqual(
    [batch, more].flatMap((columns) =>
      [0, 1].map((index) =>
        Object.fromEntries(entryTimesColumns.map((name) => [name, columns[name][index]])),
      ),
    ),
  )
})

test('an empty list has no entries', async () => {
  expect((await readTimes('[]')).found).toEqual([])
})

test('JSON records of another service are read as records', async () => {
  const { found } = await readTimes('[{"id":1,"time_start":"2024-05-01T09:00:00+02:00"}]', 'application/json')
  expect(found).toEqual([
    { id: 1, time_start: '2024-05-01T07:00:00.000Z', time_end: null, notes: null, task_link_id: null },
  ])
})

test('all other lists of entries are requested as JSON alone', async () => {
  const service = await serveResponse(200, '[]', { 'content-type': 'application/json' })
  const api = service.api()
  await api.listTimeEntries()
  for await (const _ of api.streamTimeEntries());
  await api.listProjects()
  expect(new Set(service.requests.map(({ headers }) => headers.accept))).toEqual(
    new Set(['application/json']),
  )
})

test('times are read wherever the network splits them', async () => {
  const bytes = Buffer.from(JSON.stringify([batch, { ...batch, id: [5, 6] }]))
  const service = await startServer(async (response) => {
    response.writeHead(200, { 'content-type': entryTimesType, link: '<?>; rel=last' })
    for (const byte of bytes) {
      response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  const ids: unknown[] = []
  for await (const entries of service.api().streamEntryTimes()) ids.push(...entries.map(({ id }) => id))
  expect(ids).toEqual([1, 2, 5, 6])
})

test('an ID that occurs twice is read once', async () => {
  const { found } = await readTimes(JSON.stringify([batch, batch]))
  expect(found).toHaveLength(2)
})

test.each([
  ['a record', { id: 1, time_start: '2024-05-01T09:00:00Z' }, 'the column id is 1'],
  ['a number', 5, 'expected times of entries, received 5'],
  ['null', null, 'expected times of entries, received null'],
  ['a list', [1, 2], 'expected times of entries, received a list of 2'],
  ['no column', {}, 'the column id is nothing'],
  ['a missing column', { ...batch, updated_at: undefined }, 'the column updated_at is nothing'],
  ['text for a column', { ...batch, time_end: '12' }, 'the column time_end is "12"'],
  ['a short column', { ...batch, time_end: [null] }, 'times of 2 entries have a column of 1'],
  ['a long column', { ...batch, task_link_id: [1, 2, 3] }, 'times of 2 entries have a column of 3'],
  ['an ID as text', { ...batch, id: ['1', 2] }, 'id of an entry is "1"'],
  ['a missing ID', { ...batch, id: [1, null] }, 'id of an entry is null'],
  ['a huge ID', { ...batch, id: [1, 2 ** 53] }, 'id of an entry is 9007199254740992'],
  ['a fraction as ID', { ...batch, id: [1.5, 2] }, 'id of an entry is 1.5'],
  [
    'a start as text',
    { ...batch, time_start: ['2024-05-01T09:00:00Z', 0] },
    'time_start of an entry is "2024',
  ],
  ['a missing start', { ...batch, time_start: [null, 0] }, 'time_start of an entry is null'],
  [
    'a start after the year 9999',
    { ...batch, time_start: [253402300800000, 0] },
    'time_start of an entry is',
  ],
  ['a start before the year 0', { ...batch, time_start: [-62167219200001, 0] }, 'time_start of an entry is'],
  ['a huge end', { ...batch, time_end: [1e300, 0] }, 'time_end of an entry is 1e+300'],
  ['a fraction as end', { ...batch, time_end: [0.5, 0] }, 'time_end of an entry is 0.5'],
  ['a boolean as end', { ...batch, time_end: [true, 0] }, 'time_end of an entry is true'],
  [
    'an object as task link',
    { ...batch, task_link_id: [{ id: 1 }, 2] },
    'task_link_id of an entry is an object',
  ],
  ['a missing version', { ...batch, updated_at: [0, null] }, 'updated_at of an entry is null'],
])('times with %s are rejected', async (_, element, problem) => {
  const failure = await rejectionOf(readTimes(JSON.stringify([batch, element])))
  expect(failure).toMatchObject({ code: 'rejected' })
  expect(failure.message).toContain(`Invalid response from the service: ${problem}`)
})

test.each([
  ['ends within a batch', `[${JSON.stringify(batch).slice(0, -20)}`],
  ['ends between batches', `[${JSON.stringify(batch)},\n`],
  ['has no end', `[${JSON.stringify(batch)}`],
  ['is not JSON', '<html>'],
  ['goes on after its end', `[${JSON.stringify(batch)}]]`],
  ['has a number that is none', '[{"id":[1e999999]}]'],
])('a text of times that %s is rejected', async (_, text) => {
  expect(await rejectionOf(readTimes(text))).toMatchObject({ code: 'rejected' })
})
