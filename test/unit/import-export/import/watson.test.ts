import { expect, test } from 'vitest'
import { detected, entries, fixture, texts } from './read.js'

test('the file frames has times in epoch seconds, projects, IDs and tags', async () => {
  expect(await texts('watson', fixture('frames'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z website #design #front end',
    '13: 2024-05-01T09:00Z – 2024-05-01T09:30Z calls',
  ])
  expect(await entries('watson', fixture('frames'))).toMatchObject([
    { sourceId: '4a5dc8f9b3c84b1e9a1d0f6b2f6f2f11' },
    { sourceId: '0d1e2f30415263748596a7b8c9d0e1f2' },
  ])
})

test('a log has RFC 3339 times, and the running frame without a stable ID', async () => {
  expect(await texts('watson', fixture('watson-log.json'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z website #design',
    '11: 2024-05-01T09:00Z – open calls',
  ])
  const ids = (await entries('watson', fixture('watson-log.json'))).map(({ sourceId }) => sourceId)
  expect(ids).toEqual(['4a5dc8f9b3c84b1e9a1d0f6b2f6f2f11', null])
})

test('frames can be objects with times in epoch seconds, or as a server stores them', async () => {
  const frames = [
    {
      ...{ id: 'a', project: 'website', start: 1714548600, stop: 1714552200 },
      ...{ tags: ['design'], updated_at: 1714552201 },
    },
    { id: 'b', project: 'calls', begin_at: '2024-05-01T09:00:00Z', end_at: '2024-05-01T09:30:00Z', tags: [] },
  ]
  for (const list of [frames, frames.toReversed()])
    expect(await detected(JSON.stringify(list))).toBe('watson')
  expect(await texts('watson', JSON.stringify(frames, null, 1))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z website #design',
    '12: 2024-05-01T09:00Z – 2024-05-01T09:30Z calls',
  ])
})

test('frames of the first versions have no tags', async () => {
  expect(await texts('watson', '[[1714548600, 1714552200, "website", "4a5d", 1714552201]]')).toEqual([
    '1: 2024-05-01T07:30Z – 2024-05-01T08:30Z website',
  ])
})

test('yields an invalid row for each wrong value and continues', async () => {
  const frames = [
    '[1714548600.5, 1714552200, "a", "1", [], 0]',
    '[1714552200, 1714548600, "a", "1", [], 0]',
    '[1, 2, null, "1", [], 0]',
    '[1, 2, "a", 5, [], 0]',
    '[1, 2, "a", "1", [3], 0]',
    '{"project": "a", "start": "2024-05-01", "stop": "2024-05-01T10:30:00+02:00"}',
    '[0, 60, "a", "1", [], 0]',
  ]
  expect(await texts('watson', `[${frames.join(',\n')}]`)).toEqual([
    'file:1:2: start is "1714548600.5", not a time in epoch seconds.',
    'file:2:1: stop is "2024-05-01T07:30:00.000Z", not a time at or after the start.',
    'file:3:1: project is "null", not a text.',
    'file:4:1: id is "5", not a text.',
    'file:5:1: tags is "[3]", not a list of texts.',
    'file:6:1: start is "2024-05-01", not a time such as 2024-05-01T09:30:00+02:00.',
    '7: 1970-01-01T00:00Z – 1970-01-01T00:01Z a',
  ])
})
