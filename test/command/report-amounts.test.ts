import { describe, expect, test } from 'vitest'
import { figuresByDay, type StepRounding, type ThousandthsRate } from '../support/entry-amounts.js'
import type { ReportGroup } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import type { TestCli } from '../support/test-cli.js'
import { localDays, taskPaths } from '../support/year.js'
import { type BilledReport, createYearCli, runYearReport, year, zone } from './year-fixtures.js'

describe('amounts, compared with a calculation in whole numbers', () => {
  const euro = { currency: 'EUR', digits: 2 }
  const dinar = { thousandths: 41_125n, currency: 'KWD', digits: 3 }
  const settings = {
    'rate.Acme': '95.55 EUR',
    'rate.*/*/Review': '33.335 EUR',
    'rate.Acme/Shop': '12345 JPY',
    'rate.Globex': '41.125 KWD',
    'rate.Globex/App': 'none',
    rate: '20 EUR',
    billable: '*,!Internal,!*/Internal',
  }
  /** The rates that these settings are for each path; none where time is not billable. */
  const rateOf: Record<(typeof taskPaths)[number], ThousandthsRate | undefined> = {
    'Acme/Website/Design': { thousandths: 95_550n, ...euro },
    'Acme/Website/Review': { thousandths: 33_335n, ...euro },
    'Acme/Shop/Design': { thousandths: 12_345_000n, currency: 'JPY', digits: 0 },
    'Globex/Website/Design': dinar,
    'Globex/App/Build': undefined,
    'Internal/Support': undefined,
  }
  const days = [year.year - 1, year.year, year.year + 1].flatMap((one) => localDays(one, zone))

  async function withRates(): Promise<TestCli> {
    const { cli } = await createYearCli()
    for (const [name, value] of Object.entries(settings)) await cli.json('config', 'set', name, value)
    return cli
  }

  const keyOf: Record<string, (day: string, path: string) => string> = {
    day: (day) => day,
    month: (day) => day.slice(0, 7),
    quarter: (day) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
    year: (day) => day.slice(0, 4),
    task: (_, path) => path.split('/').at(-1) ?? '',
  }

  /** Sums of the days from the first to the last, by dimensions and currency. */
  function expectedSums(by: readonly string[], first: string, last: string, rounding?: StepRounding) {
    const amounts = new Map<string, bigint>()
    const totals = { seconds: 0, rounded: 0, billable: 0, billableRounded: 0 }
    for (const entry of year.entries) {
      const path = taskPaths[entry.place] ?? taskPaths[0]
      const rate = rateOf[path]
      for (const { day, seconds, roundedSeconds, amount } of figuresByDay(
        entry,
        rate,
        rounding,
        days,
        year.now,
      )) {
        if (day < first || day > last) continue
        totals.seconds += seconds
        totals.rounded += roundedSeconds
        if (!rate) continue
        totals.billable += seconds
        totals.billableRounded += roundedSeconds
        const key = JSON.stringify([...by.map((dimension) => keyOf[dimension]?.(day, path)), rate.currency])
        amounts.set(key, (amounts.get(key) ?? 0n) + amount)
      }
    }
    return { amounts, totals }
  }

  const unitsOf = (amount: string) => BigInt(amount.replace('.', ''))
  const unitsByCurrency = ({ amounts }: Pick<ReportGroup, 'amounts'>, key: readonly unknown[] = []) =>
    amounts.map(({ currency, amount }): [string, bigint] => [
      JSON.stringify([...key, currency]),
      unitsOf(amount),
    ])
  const namesAt = (groups: readonly ReportGroup[], path: unknown[] = []): [string, bigint][] =>
    groups.flatMap((group) => {
      const names = [...path, group.key]
      return group.groups.length > 0 ? namesAt(group.groups, names) : unitsByCurrency(group, names)
    })
  const totalsOf = (report: BilledReport) => ({
    seconds: report.seconds,
    rounded: report.rounded_seconds,
    billable: report.billable_seconds,
    billableRounded: report.billable_rounded_seconds,
  })
  const roundings: [string, StepRounding][] = [
    ['15m:up', { step: 900, direction: 'up' }],
    ['6m', { step: 360, direction: 'nearest' }],
    ['1h:down', { step: 3600, direction: 'down' }],
    ['7s', { step: 7, direction: 'nearest' }],
  ]

  test('are equal under every grouping of random periods and roundings', async () => {
    const cli = await withRates()
    const random = new SeededRandom(chooseSeed('report amounts'))
    for (let round = 0; round < 8; round++) {
      const [from, to] = [random.between(0, days.length - 1), random.between(0, days.length - 1)].toSorted(
        (a, b) => a - b,
      )
      const [first, last] = [days[from ?? 0]?.day ?? '', days[to ?? 0]?.day ?? '']
      const [text, rounding] = random.chance(0.3) ? [] : random.pick(roundings)
      const period = ['--since', first, '--until', last, ...(text ? ['--round', text] : [])]
      const whole = expectedSums([], first, last, rounding)
      for (const by of [['day'], ['month', 'task'], ['quarter', 'day', 'task'], ['task']]) {
        const found = await cli.json<BilledReport>('report', '--by', by.join(','), ...period)
        expect(new Map(namesAt(found.groups))).toEqual(expectedSums(by, first, last, rounding).amounts)
        expect(new Map(unitsByCurrency(found))).toEqual(whole.amounts)
        expect(totalsOf(found)).toEqual(whole.totals)
      }
      for (const by of [
        'week',
        'year',
        'weekday',
        'client',
        'project',
        'notes',
        'client,notes',
        'weekday,project',
      ]) {
        const found = await cli.json<BilledReport>('report', '--by', by, ...period)
        expect(new Map(unitsByCurrency(found))).toEqual(whole.amounts)
        expect(totalsOf(found)).toEqual(whole.totals)
      }
    }
  })

  test('of months and their rounded durations add up to those of quarters and of the year', async () => {
    const cli = await withRates()
    for (const [text] of [['1s'], ...roundings] as const) {
      const reportOf = (period: string) =>
        cli.json<BilledReport>(
          'report',
          '--since',
          period,
          '--until',
          period,
          '--by',
          'client',
          '--round',
          text,
        )
      const sumOf = async (periods: string[]) => {
        const reports = await Promise.all(periods.map(reportOf))
        const amounts = new Map<string, bigint>()
        for (const [key, units] of reports.flatMap((one) => unitsByCurrency(one)))
          amounts.set(key, (amounts.get(key) ?? 0n) + units)
        return { amounts, rounded: reports.reduce((sum, one) => sum + one.rounded_seconds, 0) }
      }
      const months = (quarter: number) =>
        [1, 2, 3].map((month) => `${year.year}-${String(quarter * 3 + month).padStart(2, '0')}`)
      const whole = await sumOf([String(year.year)])
      for (const quarter of [0, 1, 2, 3])
        expect(await sumOf(months(quarter))).toEqual(await sumOf([`${year.year}-Q${quarter + 1}`]))
      expect(await sumOf([0, 1, 2, 3].flatMap(months))).toEqual(whole)
    }
  })

  test('of rounded groups are those of the rounded sums, and the report says so', async () => {
    const cli = await withRates()
    const found = await runYearReport(cli, ['month', 'task', 'project'], '--round-total', '15m:up')
    expect(found).toMatchObject({ rounding: { step_seconds: 900, direction: 'up', of: 'groups' } })
    const reviews = found.groups
      .flatMap(({ groups }) => groups)
      .filter(({ key }) => key === 'Review')
      .flatMap(({ groups }) => groups)
    expect(reviews.length).toBeGreaterThan(6)
    for (const { rounded_seconds: rounded, amounts } of reviews) {
      const units = (2n * 33_335n * BigInt(rounded) + 36_000n) / 72_000n
      expect(amounts.map(({ amount }) => unitsOf(amount))).toEqual([units])
    }
  })
})
