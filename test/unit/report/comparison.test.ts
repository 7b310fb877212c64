import { describe, expect, it, test } from 'vitest'
import type { Day } from '../../../src/lib/calendar/day.js'
import { DurationDisplay } from '../../../src/lib/calendar/duration-display.js'
import { timeOf } from '../../../src/lib/calendar/interval.js'
import type { Dimension } from '../../../src/records/report-names.js'
import { type ComparedGroup, compareReports, differenceOf } from '../../../src/report/comparison.js'
import type { Totals } from '../../../src/report/report-model.js'
import type { Entry } from '../../../src/tracking/entries/entry.js'
import { entry, link, reportOf } from './fixtures.js'

type Span = [since: Day, until: Day]

const reportOn = (entries: Entry[], by: Dimension[], [first, last]: Span) =>
  reportOf(entries, by, { first, last }, timeOf({ first, last }))

/** Returns lines such as "  Website 3600 1800 1800": the label, both times and the difference. */
function outline(groups: readonly ComparedGroup[], depth = 0): string[] {
  return groups.flatMap(({ label, comparedLabel, current, compared, groups }) => {
    const name = label === comparedLabel ? label : `${label} / ${comparedLabel}`
    const { seconds } = differenceOf(current, compared)
    const line = `${'  '.repeat(depth)}${name} ${current.seconds} ${compared.seconds} ${seconds}`
    return [line, ...outline(groups, depth + 1)]
  })
}

const compare = (entries: Entry[], by: Dimension[], current: Span, compared: Span) => {
  const reports = { current: reportOn(entries, by, current), compared: reportOn(entries, by, compared) }
  return outline(compareReports(reports, 1, DurationDisplay.of('1h 24m')).groups)
}

const [website, shop] = [link('Acme', 'Website', 'Design'), link('Acme', 'Shop', 'Design')]
const at = (day: Day, hours: number, on = website) =>
  entry(`${day}T08:00`, `${day}T${String(8 + hours).padStart(2, '0')}:00`, { link: on })

const thisWeek: Span = ['2024-05-06', '2024-05-12']
const lastWeek: Span = ['2024-04-29', '2024-05-05']
const may: Span = ['2024-05-01', '2024-05-31']
const april: Span = ['2024-04-01', '2024-04-30']

describe('a comparison of two periods', () => {
  it('matches projects, with 0 where a project exists in one period only', () => {
    const renamed = link('Globex', 'Website', 'Design')
    const entries = [
      at('2024-05-06', 2),
      at('2024-04-29', 3),
      at('2024-04-30', 1, shop),
      at('2024-05-07', 1, renamed),
    ]
    expect(compare(entries, ['project'], thisWeek, lastWeek)).toEqual([
      'Website (Acme) 7200 10800 -3600',
      'Website (Globex) 3600 0 3600',
      'Shop 0 3600 -3600',
    ])
  })

  it('matches days by their position in the period', () => {
    const entries = [at('2024-05-07', 2), at('2024-04-30', 3), at('2024-05-01', 1)]
    expect(compare(entries, ['day'], thisWeek, lastWeek)).toEqual([
      '2024-05-07 Tue / 2024-04-30 Tue 7200 10800 -3600',
      '2024-05-08 Wed / 2024-05-01 Wed 0 3600 -3600',
    ])
  })

  it('has no counterpart for a day after the end of a shorter month', () => {
    const entries = [at('2024-05-31', 2), at('2024-04-30', 3)]
    expect(compare(entries, ['day', 'project'], may, april)).toEqual([
      '2024-05-30 Thu / 2024-04-30 Tue 0 10800 -10800',
      '  Website 0 10800 -10800',
      '2024-05-31 Fri / null 7200 0 7200',
      '  Website 7200 0 7200',
    ])
    expect(compare(entries, ['day'], april, may).at(-1)).toBe('none / 2024-05-31 Fri 0 7200 -7200')
  })

  it('matches the days of a quarter by their position in the month', () => {
    const entries = [at('2024-02-03', 1), at('2024-05-03', 2)]
    expect(
      compare(entries, ['month', 'day'], ['2024-04-01', '2024-06-30'], ['2024-01-01', '2024-03-31']),
    ).toEqual(['2024-05 / 2024-02 7200 3600 3600', '  2024-05-03 Fri / 2024-02-03 Sat 7200 3600 3600'])
  })

  test.each([
    ['week', '2024-W19 from 2024-05-06 / 2024-W15 from 2024-04-08 3600 0 3600'],
    ['quarter', '2024-Q2 3600 0 3600'],
    ['year', '2024 3600 0 3600'],
    ['weekday', 'Tuesday 3600 0 3600'],
  ] as const)('matches by %s', (by, line) => {
    expect(compare([at('2024-05-07', 1)], [by], may, april)).toEqual([line])
  })

  it('orders weekdays from the first day of the week', () => {
    const entries = [at('2024-04-29', 1), at('2024-05-12', 1), at('2024-05-07', 3)]
    const names = compare(entries, ['weekday'], thisWeek, lastWeek).map((line) => line.split(' ')[0])
    expect(names).toEqual(['Monday', 'Tuesday', 'Sunday'])
  })
})

describe('the difference of amounts', () => {
  const totals = (...amounts: [currency: string, amount: string][]): Totals => ({
    ...{ seconds: 0, roundedSeconds: 0, count: 0, running: false },
    ...{ billableSeconds: 0, billableRoundedSeconds: 0 },
    amounts: amounts.map(([currency, amount]) => ({ currency, amount })),
  })

  test.each([
    [[['EUR', '12.50']], [['EUR', '13.00']], [['EUR', '-0.50']]],
    [[['EUR', '90071992547409.93']], [['EUR', '0.01']], [['EUR', '90071992547409.92']]],
    [
      [['USD', '1.00']],
      [['EUR', '1.00']],
      [
        ['EUR', '-1.00'],
        ['USD', '1.00'],
      ],
    ],
    [[['KWD', '1.000']], [['KWD', '1.000']], [['KWD', '0.000']]],
  ] as [string, string][][][])('of %j and %j is %j', (current = [], compared = [], expected = []) => {
    expect(differenceOf(totals(...current), totals(...compared)).amounts).toEqual(totals(...expected).amounts)
  })
})
