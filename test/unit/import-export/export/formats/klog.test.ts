import { expect, test } from 'vitest'
import { klog } from '../../../../../src/import-export/export/formats/klog.js'
import { exportedEntry, textIn, write } from '../fixtures.js'

const textOf = (...entries: Parameters<typeof exportedEntry>[]) => textIn(klog, entries)

test('writes a record for each day, with names as tags and the lines of notes', async () => {
  const text = await textOf(
    ['2024-05-01T07:00:40Z', '2024-05-01T08:30:59Z', { notes: 'Kick-off #logo\n\n  second line ' }],
    ['2024-05-01T09:00:00Z', '2024-05-01T09:00:00Z', { path: 'Web Site/Design' }],
    ['2024-05-02T09:00:00Z', '2024-05-02T10:00:00Z', { path: '', notes: '' }],
  )
  expect(text).toBe(`2024-05-01
    09:00 - 10:30 #client=Acme #project=Website #task=Design Kick-off #logo
        second line
    11:00 - 11:00 #project="Web Site" #task=Design

2024-05-02
    11:00 - 12:00
`)
})

test.each([
  ['設計/front-end_2', '#project=設計 #task=front-end_2'],
  ['A "b"/it\'s "c"', '#project=\'A "b"\' #task=\'it’s "c"\''],
])('writes the names of %s as %s', async (path, tags) => {
  const text = await textOf(['2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z', { path }])
  expect(text).toBe(`2024-05-01\n    12:00 - 13:00 ${tags}\n`)
})

test.each([
  ['the day after', '2024-05-01T20:00:00Z', '2024-05-01T23:30:00Z', ['2024-05-01', '22:00 - 01:30>']],
  ['midnight', '2024-05-01T20:00:00Z', '2024-05-01T22:00:00Z', ['2024-05-01', '22:00 - 00:00>']],
  ['the third day', '2024-05-01T20:00:00Z', '2024-05-03T02:00:00Z', ['2024-05-02', '<22:00 - 04:00>']],
  [
    'the fourth day',
    '2024-05-01T20:00:00Z',
    '2024-05-04T02:00:00Z',
    [
      ...['2024-05-01', '22:00 - 00:00>', '2024-05-02', '00:00 - 00:00>'],
      ...['2024-05-03', '00:00 - 00:00>', '2024-05-04', '00:00 - 04:00'],
    ],
  ],
])('expresses an entry until %s', async (_, start, end, expected) => {
  const text = await textOf([start, end, { path: '' }])
  expect(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ).toEqual(expected)
})

test('writes one open range in a record', async () => {
  const text = await textOf(
    ['2024-05-08T07:00:00Z', null, { path: 'A/B' }],
    ['2024-05-08T08:00:00Z', '2024-05-08T09:00:00Z', { path: 'A/B' }],
    ['2024-05-08T10:00:00Z', null, { path: 'A/B' }],
  )
  expect(text.replaceAll(' #project=A #task=B', '')).toBe(
    '2024-05-08\n    09:00 - ?\n    10:00 - 11:00\n\n2024-05-08\n    12:00 - ?\n',
  )
})

test('writes a duration where the clocks go back past the start', async () => {
  const { text, findings } = await write(klog, [
    exportedEntry('2024-10-27T00:50:00Z', '2024-10-27T01:10:00Z', { path: '' }),
  ])
  expect(text).toBe('2024-10-27\n    20m\n')
  expect(findings.clockChanges.count).toBe(1)
})
