import { describe, expect, test } from 'vitest'
import { entries, fixture, texts } from './read.js'

test('records have ranges, durations, summaries, tags and targets', async () => {
  expect(await texts('klog', fixture('example.klg'))).toEqual([
    '3: 2024-05-01T07:00Z – 2024-05-01T10:30Z #front-end #work Fix the logo #front-end\nOffice day #work',
    '4: 2024-05-01T11:00Z – 2024-05-01T15:00Z #work A summary on the next line\nand one more',
    'Entries without a time of day are placed one after another from 09:00.',
    '7: 2024-05-01T15:00Z – 2024-05-01T16:30Z #phone #work Calls #phone=0049',
    'file:11:3: "1:00pm - 3:15PM Wrong", not a range such as 9:00 - 12:30 or a duration such as 1h30m.',
    '10: 2024-05-02T06:00Z – 2024-05-02T10:00Z',
    '14: 2024-05-01T21:30Z – 2024-05-01T23:00Z',
    '15: 2024-05-02T20:00Z – 2024-05-02T22:00Z',
    '16: 2024-05-02T21:00Z – 2024-05-02T23:30Z',
    '17: 2024-05-02T07:00Z – open',
    '20: 2024-05-03T07:00Z – 2024-05-03T14:00Z Work',
  ])
})

test('the text of a record belongs to its entries without a summary', async () => {
  expect(await texts('klog', '2024-05-01\nOffice #a\nand home\n\t9:00-10:00\n\t10:00-11:00 Own #b')).toEqual([
    '4: 2024-05-01T07:00Z – 2024-05-01T08:00Z #a Office #a\nand home',
    '5: 2024-05-01T08:00Z – 2024-05-01T09:00Z #b #a Own #b',
  ])
})

test('the text of a record is added to its first entry if all have a summary', async () => {
  const record = (text: string, ...lines: string[]) =>
    ['2024-05-01', text, ...lines.map((line) => `  ${line}`)].join('\n')
  expect(
    await texts('klog', record('At home', '-15m', '9:00-9:10 Covered', '9:10-10:00 One', '10:00-11:00 Two')),
  ).toEqual([
    '4: skipped: entries that breaks cover completely',
    '5: 2024-05-01T07:10Z – 2024-05-01T07:55Z One\nAt home',
    '6: 2024-05-01T08:00Z – 2024-05-01T09:00Z Two',
  ])
  expect(
    await texts('klog', record('#client=Acme At home #a', '9:00-10:00 #project=web', '10:00-11:00')),
  ).toEqual([
    '3: 2024-05-01T07:00Z – 2024-05-01T08:00Z Acme/web #a',
    '4: 2024-05-01T08:00Z – 2024-05-01T09:00Z Acme #a At home #a',
  ])
  expect(await texts('klog', '2024-05-01\nDay off\n\n2024-05-02\n  1h')).toEqual([
    '1: skipped: records without entries',
    'Entries without a time of day are placed one after another from 09:00.',
    '5: 2024-05-02T07:00Z – 2024-05-02T08:00Z',
  ])
})

test('tags with values are names, and those at the beginning are no part of the notes', async () => {
  const text = [
    '2024-05-01',
    '#client=Acme #office',
    `    9:00 - 10:00 #project="Front end" #task='5" logo' Fix #logo`,
    '    10:00 - 11:00 Call about #project=calls #client=Other',
  ].join('\n')
  expect(await texts('klog', text)).toEqual([
    '3: 2024-05-01T07:00Z – 2024-05-01T08:00Z Acme/Front end/5" logo #logo #office Fix #logo',
    '4: 2024-05-01T08:00Z – 2024-05-01T09:00Z Other/calls #office Call about #project=calls #client=Other',
  ])
})

test.each([
  ['0:00 - 24:00', '2024-04-30T22:00Z – 2024-05-01T22:00Z'],
  ['<24:00 - 1:00', '2024-04-30T22:00Z – 2024-04-30T23:00Z'],
  ['<22:00-<23:15', '2024-04-30T20:00Z – 2024-04-30T21:15Z'],
  ['12:00am - 12:30am', '2024-04-30T22:00Z – 2024-04-30T22:30Z'],
  ['12:00pm - 12:30pm', '2024-05-01T10:00Z – 2024-05-01T10:30Z'],
  ['<11:40pm-3:12am', '2024-04-30T21:40Z – 2024-05-01T01:12Z'],
  ['0:30> - 4:00>', '2024-05-01T22:30Z – 2024-05-02T02:00Z'],
  ['9:00 - 9:00', '2024-05-01T07:00Z – 2024-05-01T07:00Z'],
])('reads the range %s', async (range, times) => {
  expect(await texts('klog', `2024-05-01\n    ${range}\n`)).toEqual([`2: ${times}`])
})

test.each([
  '10:00 - 9:00',
  '24:30 - 25:00',
  '24:00> - 25:00>',
  '13:00pm - 14:00pm',
  '0:00am - 1:00am',
  '<9:00> - 10:00',
  '9:60 - 10:00',
  '9:00 - ?>',
  '9 - 10',
  '1h60m',
  '1h 30m2',
  '+',
  'm',
])('does not read the entry %s', async (entry) => {
  const [row = ''] = await texts('klog', `2024-05-01\n    ${entry}\n`)
  expect(row).toMatch(entry === '1h 30m2' ? /Z 30m2$|^Entries/ : /^file:2:5: .+, not a /)
})

describe('a negative duration', () => {
  const lengths = async (...lines: string[]) =>
    (await entries('klog', ['2024-05-01', ...lines].join('\n    '))).map(
      ({ start, end }) => end && (end.getTime() - start.getTime()) / 60_000,
    )

  test('shortens the entry before it, then others, so that the total is right', async () => {
    expect(await lengths('9:00 - 12:00', '-30m', '13:00 - 17:00')).toEqual([150, 240])
    expect(await lengths('9:00 - 10:00', '13:00 - 14:00', '-1h30m')).toEqual([30])
    expect(await lengths('9:00 - 10:00', '-0m')).toEqual([60])
  })

  test('delays the start of an open range if nothing else remains', async () => {
    expect(await texts('klog', '2024-05-01\n    9:00 - ?\n    -30m\n')).toEqual([
      '2: 2024-05-01T07:30Z – open',
    ])
    expect(await texts('klog', '2024-05-01\n    8:00 - 9:00\n    9:00 - ?\n    -30m\n')).toEqual([
      '2: 2024-05-01T06:00Z – 2024-05-01T06:30Z',
      '3: 2024-05-01T07:00Z – open',
    ])
  })

  test('that covers an entry completely removes it', async () => {
    expect(await texts('klog', '2024-05-01\n    9:00 - 10:00\n    -1h\n')).toEqual([
      '2: skipped: entries that breaks cover completely',
    ])
  })

  test('that is longer than all entries is invalid', async () => {
    expect((await texts('klog', '2024-05-01\n    9:00 - 10:00\n    -1h1m Lunch\n'))[0]).toBe(
      'file:3:5: "-1h1m", not a break that is not longer than the other entries of its record.',
    )
  })
})

test('durations avoid the ranges of their record and each other', async () => {
  expect(
    await texts('klog', '2024-05-01\n    1h\n    9:30 - 12:00\n    30m\n    +15m\n\n2024-05-01\n    5m\n'),
  ).toEqual([
    'Entries without a time of day are placed one after another from 09:00.',
    '2: 2024-05-01T10:00Z – 2024-05-01T11:00Z',
    '3: 2024-05-01T07:30Z – 2024-05-01T10:00Z',
    '4: 2024-05-01T11:00Z – 2024-05-01T11:30Z',
    '5: 2024-05-01T11:30Z – 2024-05-01T11:45Z',
    '8: 2024-05-01T11:45Z – 2024-05-01T11:50Z',
  ])
})

test('an invalid record does not prevent the next one', async () => {
  const text = [
    '2024-02-30',
    '    1h',
    '',
    '01.05.2024',
    '',
    '2024-05-01 (8h)',
    '',
    '2024-05-01 (x!)',
    '',
    '2024-05-01',
    '    9:00 - ?',
    '    10:00 - ?',
    '  10:00 - 11:00',
    'Summary after entries',
    '     10:00 - 11:00',
    '',
    '2024-05-01',
    ' 9:00 - 10:00',
    '',
    '2024-05-01',
    '    9:00 - 10:00',
  ].join('\n')
  expect(await texts('klog', text)).toEqual([
    'file:1:1: "2024-02-30", not a date such as 2024-05-01.',
    'file:4:1: "01.05.2024", not the first line of a record: a date such as 2024-05-01.',
    'file:6:1: "2024-05-01 (8h)", not the first line of a record: a date such as 2024-05-01.',
    'file:8:1: target is "x", not a duration such as 7h30m.',
    'file:13:1: "  10:00 - 11:00", not an entry with the indentation of the first one.',
    'file:14:1: "Summary after entries", not an indented entry, or an empty line before the next record.',
    'file:15:1: "     10:00 - 11:00", not an entry with the indentation of the first one.',
    'file:12:5: "10:00 - ?", not the only open range of its record.',
    '11: 2024-05-01T07:00Z – open',
    'file:18:1: " 9:00 - 10:00", not an entry that is indented by 2 to 4 spaces or one tab.',
    '21: 2024-05-01T07:00Z – 2024-05-01T08:00Z',
  ])
})

test('a range in an hour that clocks skip is invalid', async () => {
  expect(await texts('klog', '2024-03-31\n    2:30 - 4:00\n')).toEqual([
    'file:2:5: "2:30 - 4:00", not a range with a time that exists: the clocks go forward over it.',
  ])
})
