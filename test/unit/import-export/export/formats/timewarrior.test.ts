import { expect, test } from 'vitest'
import { timewarrior } from '../../../../../src/import-export/export/formats/timewarrior.js'
import { inZone } from '../../../lib/calendar/zone.js'
import { exportedEntry, write } from '../fixtures.js'

const entries = [
  exportedEntry('2024-05-01T07:00:00.900Z', '2024-05-01T08:30:00Z', {
    notes: 'Kick-off, "all"; C:\\new\nwith #Logo and #logo',
  }),
  exportedEntry('2024-05-02T07:00:00Z', '2024-05-02T07:00:00Z', { path: 'Web Site/Design' }),
  exportedEntry('2024-05-03T07:00:00Z', null, { path: '' }),
]

test('writes the JSON of timew export', async () => {
  const { text } = await write(timewarrior, entries)
  expect(text).toBe(
    [
      '[',
      '{"start":"20240501T070000Z","end":"20240501T083000Z","tags":["Acme","Website","Design","logo"],' +
        '"annotation":"Kick-off, \\"all\\"; C:\\\\new\\nwith #Logo and #logo"},',
      '{"start":"20240502T070000Z","end":"20240502T070000Z","tags":["Web Site","Design"]},',
      '{"start":"20240503T070000Z"}',
      ']\n',
    ].join('\n'),
  )
})

test('writes lines of data files with quoted words', () => {
  expect(entries.map((entry) => timewarrior.files?.textOf(entry))).toEqual([
    'inc 20240501T070000Z - 20240501T083000Z # "Acme" "Website" "Design" "logo" # ' +
      '"Kick-off, \\"all\\"; C:\\\\new\\nwith #Logo and #logo"\n',
    'inc 20240502T070000Z - 20240502T070000Z # "Web Site" "Design"\n',
    'inc 20240503T070000Z\n',
  ])
})

test('separates an annotation from no tags', () => {
  const entry = exportedEntry('2024-05-01T07:00:00Z', null, { path: '', notes: 'note' })
  expect(timewarrior.files?.textOf(entry)).toBe('inc 20240501T070000Z # # "note"\n')
})

test.each([
  ['Europe/Berlin', '2024-05.data'],
  ['America/New_York', '2024-04.data'],
])('the file is that of the local month: %s', (zone, name) => {
  const entry = exportedEntry('2024-04-30T22:30:00Z', '2024-05-01T01:00:00Z')
  inZone(zone, () => expect(timewarrior.files?.nameOf(entry)).toBe(name))
})
