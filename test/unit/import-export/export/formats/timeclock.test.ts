import { expect, test } from 'vitest'
import { timeclock } from '../../../../../src/import-export/export/formats/timeclock.js'
import { exportedEntry, textIn, write } from '../fixtures.js'

const textOf = (...entries: Parameters<typeof exportedEntry>[]) => textIn(timeclock, entries)

test('writes clock-in and clock-out lines in local time, and the running entry at the end', async () => {
  const text = await textOf(
    ['2024-05-01T21:30:00Z', '2024-05-01T23:00:07.900Z', { path: 'Internal/Support' }],
    ['2024-05-08T09:00:00Z', null, { notes: 'still at it' }],
    ['2024-05-08T09:30:00Z', '2024-05-08T10:00:00Z', { notes: 'first\n\n  second; third' }],
  )
  expect(text).toBe(`i 2024/05/01 23:30:00 Internal:Support
o 2024/05/02 01:00:07
i 2024/05/08 11:30:00 Acme:Website:Design  first second; third
o 2024/05/08 12:00:00
i 2024/05/08 11:00:00 Acme:Website:Design  still at it
`)
})

test.each([
  ['A: B/C  D/E\nF', 'A- B:C D:E F'],
  ['', 'no task'],
])('writes the account of %j as %j', async (path, account) => {
  expect(await textOf(['2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z', { path }])).toBe(
    `i 2024/05/01 12:00:00 ${account}\no 2024/05/01 13:00:00\n`,
  )
})

// In Berlin, the clocks go back from 3:00 to 2:00 on 2024-10-27, at 1:00 UTC.
test.each([
  [
    'keeps the duration where the local end is before the start',
    '2024-10-27T00:50:00Z',
    '2024-10-27T01:10:00Z',
    '03:10:00',
  ],
  ['keeps the local end otherwise', '2024-10-27T00:10:00Z', '2024-10-27T01:20:00Z', '02:20:00'],
])('%s', async (_, start, end, expected) => {
  const { text, findings } = await write(timeclock, [exportedEntry(start, end)])
  expect(text).toMatch(new RegExp(`o 2024/10/27 ${expected}\n$`))
  expect(findings.clockChanges.count).toBe(1)
})
