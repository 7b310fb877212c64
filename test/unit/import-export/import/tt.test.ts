import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderList } from '../../../../src/ui/formats/render.js'
import { plainStyle } from '../../../../src/ui/view.js'
import { joinChunks, noteView } from '../../ui/special-texts.js'
import { anyEntry, exported, restorable, restored } from './random-entries.js'
import { detected, entries, read, source, texts } from './read.js'

const lists = fc.array(anyEntry, { minLength: 1, maxLength: 10 })

test.each(['json', 'csv'] as const)(
  'an export as %s is restored without losses',
  { tags: 'slow' },
  async (format) => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const text = await exported(format, list)
        expect(await detected(text)).toBe('tt')
        expect((await entries('tt', text)).map(restored)).toEqual(list.map(restorable))
      }),
    )
  },
)

test('JSON has external IDs, and IDs that are unique among workspaces', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const found = await entries('tt', await exported('json', list))
      expect(found.map(({ externalId, sourceId }) => [externalId, sourceId])).toEqual(
        list.map(({ wire }) => [
          wire.external_id,
          typeof wire.id === 'number' ? `${wire.id}@2024-05-01T07:30:00.123Z` : null,
        ]),
      )
    }),
  )
})

const record = '"time_start":"2024-05-01T09:30:00+02:00","project":"Website","notes":"Logo"'

test('JSON lines and one object are read like a list', async () => {
  const lines = `{"id":1,${record},"time_end":null}\n{"id":2,${record},"time_end":"2024-05-01T10:00:00+02:00"}\n`
  expect(await detected(lines)).toBe('tt')
  expect(await texts('tt', lines)).toEqual([
    '1: 2024-05-01T07:30Z – open Website Logo',
    '2: 2024-05-01T07:30Z – 2024-05-01T08:00Z Website Logo',
  ])
  expect(await texts('tt', `{\n ${record} }`)).toEqual(['1: 2024-05-01T07:30Z – open Website Logo'])
})

test('the end follows from the duration if only that was exported', async () => {
  const csv = 'time_start,duration_seconds\n2024-05-01T09:30:00+02:00,1800\n2024-05-01T09:30:00+02:00,-1\n'
  expect(await texts('tt', csv)).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:00Z',
    'file:3:1: duration_seconds is "-1", not a number of seconds.',
  ])
})

test('yields an invalid row for each wrong value and continues', async () => {
  const list = [
    '{"time_start":null}',
    '{"time_start":"2024-05-01T09:30:00"}',
    '{"time_start":"2024-05-01T09:30:00Z","time_end":"2024-05-01T09:00:00Z"}',
    '{"time_start":"2024-05-01T09:30:00Z","notes":5}',
    '[]',
    `{${record}}`,
  ]
  expect(await texts('tt', `[\n${list.join(',\n')}\n]`)).toEqual([
    'file:2:1: time_start is "null", not a time such as 2024-05-01T09:30:00+02:00.',
    'file:3:1: time_start is "2024-05-01T09:30:00", not a time such as 2024-05-01T09:30:00+02:00.',
    'file:4:1: time_end is "2024-05-01T09:00:00Z", not a time at or after the start.',
    'file:5:1: notes is "5", not a text.',
    'file:6:1: "[]", not a JSON object.',
    '7: 2024-05-01T07:30Z – open Website Logo',
  ])
})

describe('the detection', () => {
  test.each<[text: string, message: string]>([
    ['[]', 'file.txt contains no entries.'],
    ['Dear diary,\ntoday', 'The format of file.txt is unknown'],
    ['{"a": 1}', 'The format of file.txt is unknown: it begins with "{\\"a\\": 1}".'],
  ])('rejects %j', async (text, message) => {
    await expect(detected(text)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/./),
    })
  })
})

test.each(['timewarrior', 'watson', 'klog', 'timeclock', 'ical', 'tt'] as const)(
  'the format %s rejects a text of another format, not each of its lines',
  async (format) => {
    const csv = source('From,Until\n1,2\n', 'jobs.csv')
    await expect(read(format, csv)).rejects.toMatchObject({
      code: 'usage',
      message: `jobs.csv does not have the format ${format}: it has the columns From, Until.`,
    })
    await expect(read(format, 'PK')).rejects.toThrow('it begins with "PK".')
    expect(await read(format, '')).toEqual([])
  },
)

test('text with an apostrophe before a formula is not a guarded formula', async () => {
  const notes = ["'=1", "''=1", '=1', "'a", '-5', "'-5"]
  const rows = notes.map((text, index) => ({ id: index, day: '2024-05-06', notes: text }))
  const csv = await joinChunks(renderList(noteView, rows, 'csv', { style: plainStyle, width: undefined }))
  const withTimes = csv.replace('day', 'time_start').replaceAll('2024-05-06', '2024-05-06T09:30:00Z')
  expect((await entries('tt', withTimes)).map((entry) => entry.notes)).toEqual(notes)
})
