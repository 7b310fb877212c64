import { expect, test } from 'vitest'
import { type EntryTimes, entryTimesType, type TimeEntry } from '../../../../src/api-client/types.js'
import { rejectionOf, serveResponse, startServer } from '../test-server.js'

const times = {
  id: 1,
  time_start: -62167219200000,
  time_end: 1714557600000,
  task_link_id: 7,
  updated_at: 1714557600001,
}

/** Serves a body with the media type of entry times, and reads it. */
async function readTimes(body: string, type = `${entryTimesType}; charset=utf-8`) {
  const service = await serveResponse(200, body, { 'content-type': type, link: '<?>; rel="first last"' })
  const found: (EntryTimes | TimeEntry)[] = []
  for await (const entries of service.api().streamEntryTimes()) found.push(...entries)
  return { found, requests: service.requests }
}

test('entry times are requested beside JSON', async () => {
  const running = { ...times, id: 2, time_end: null, task_link_id: null }
  const { found, requests } = await readTimes(JSON.stringify([times, running]))
  expect(requests.map(({ headers }) => headers.accept)).toEqual([
    'application/vnd.tt.entry-times+json, application/json;q=0.9',
  ])
  expect(found).toEqual([times, running])
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
  const bytes = Buffer.from(JSON.stringify([times, { ...times, id: 5 }]))
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
  expect(ids).toEqual([1, 5])
})

test('an ID that occurs twice is read once', async () => {
  const { found } = await readTimes(JSON.stringify([times, times]))
  expect(found).toHaveLength(1)
})

test.each([
  ['a record', { id: 1, time_start: '2024-05-01T09:00:00Z' }, 'time_start of an entry is "2024'],
  ['a number', 5, 'expected times of an entry, received 5'],
  ['null', null, 'expected times of an entry, received null'],
  ['a list', [1, 2], 'expected times of an entry, received a list of 2'],
  ['no field', {}, 'id of an entry is nothing'],
  ['an ID as text', { ...times, id: '1' }, 'id of an entry is "1"'],
  ['a missing ID', { ...times, id: null }, 'id of an entry is null'],
  ['a huge ID', { ...times, id: 2 ** 53 }, 'id of an entry is 9007199254740992'],
  ['a fraction as ID', { ...times, id: 1.5 }, 'id of an entry is 1.5'],
  ['a missing start', { ...times, time_start: null }, 'time_start of an entry is null'],
  ['a start after the year 9999', { ...times, time_start: 253402300800000 }, 'time_start of an entry is'],
  ['a start before the year 0', { ...times, time_start: -62167219200001 }, 'time_start of an entry is'],
  ['a huge end', { ...times, time_end: 1e300 }, 'time_end of an entry is 1e+300'],
  ['a fraction as end', { ...times, time_end: 0.5 }, 'time_end of an entry is 0.5'],
  ['a boolean as end', { ...times, time_end: true }, 'time_end of an entry is true'],
  ['an object as task link', { ...times, task_link_id: { id: 1 } }, 'task_link_id of an entry is an object'],
  ['a missing time of the last change', { ...times, updated_at: null }, 'updated_at of an entry is null'],
])('times with %s are rejected', async (_, element, problem) => {
  const failure = await rejectionOf(readTimes(JSON.stringify([times, element])))
  expect(failure).toMatchObject({ code: 'rejected' })
  expect(failure.message).toContain(`Invalid response from the service: ${problem}`)
})

test.each([
  ['ends within an entry', `[${JSON.stringify(times).slice(0, -20)}`],
  ['ends between entries', `[${JSON.stringify(times)},\n`],
  ['has no end', `[${JSON.stringify(times)}`],
  ['is not JSON', '<html>'],
  ['goes on after its end', `[${JSON.stringify(times)}]]`],
  ['has a number that is none', '[{"id":1e999999}]'],
])('a text of times that %s is rejected', async (_, text) => {
  expect(await rejectionOf(readTimes(text))).toMatchObject({ code: 'rejected' })
})
