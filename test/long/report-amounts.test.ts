import { describe, expect, test } from 'vitest'
import { changeSettings } from '../command/report-fixtures.js'
import { type BilledReport, createYearCli, runYearReport, year, zone } from '../command/year-fixtures.js'
import type { StepRounding, ThousandthsRate } from '../support/entry-amounts.js'
import { dimensions, expectedParts, sumParts } from '../support/expected-figures.js'
import { figuresByName, unitsByCurrency, unitsOf } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import type { TestCli } from '../support/test-cli.js'
import { localDays, type taskPaths } from '../support/year.js'

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
  const rate = (path: string) => rateOf[path as keyof typeof rateOf]

  async function withRates(): Promise<TestCli> {
    const cli = await createYearCli()
    await changeSettings(cli, settings)
    return cli
  }

  const totalsOf = (report: BilledReport) => ({
    seconds: report.seconds,
    rounded: report.rounded_seconds,
    count: report.count,
    amounts: Object.fromEntries(unitsByCurrency(report)),
  })
  const roundings: [string, StepRounding][] = [
    ['15m:up', { step: 900, direction: 'up' }],
    ['15m', { step: 900, direction: 'nearest' }],
    ['6m', { step: 360, direction: 'nearest' }],
    ['1h:down', { step: 3600, direction: 'down' }],
    ['7s', { step: 7, direction: 'nearest' }],
  ]
  const pairs = dimensions.flatMap((one, index) => dimensions.slice(index + 1).map((other) => [one, other]))

  test('and durations are equal under every dimension and pair of dimensions', async () => {
    const cli = await withRates()
    const random = new SeededRandom(chooseSeed('report amounts'))
    const from = random.between(0, days.length - 1)
    const to = Math.min(days.length - 1, from + random.between(0, 150))
    const [first, last] = [days[from]?.day ?? '', days[to]?.day ?? '']
    const [text, rounding] = random.chance(0.3) ? [] : random.pick(roundings)
    const period = ['--since', first, '--until', last, ...(text ? ['--round', text] : [])]
    const weekStart = random.pick(['monday', 'sunday'] as const)
    await cli.json('config', 'set', 'week_start', weekStart)
    const parts = expectedParts(year, days, { rateOf: rate, rounding, weekStart }).filter(
      ({ day }) => day >= first && day <= last,
    )
    const [total = { seconds: 0, rounded: 0, count: 0, amounts: {} }] = sumParts(parts, []).values()
    const billable = sumParts(
      parts.filter(({ rate }) => rate),
      [],
    ).get('[]')
    const inRandomOrder = pairs.map((pair) => (random.chance(0.5) ? pair : pair.toReversed()))
    for (const by of [...dimensions.map((dimension) => [dimension]), ...inRandomOrder]) {
      const found = await cli.json<BilledReport>('report', '--by', by.join(','), ...period)
      const label = `--by ${by.join(',')} ${period.join(' ')}`
      expect(totalsOf(found), label).toEqual(total)
      expect([found.billable_seconds, found.billable_rounded_seconds], label).toEqual([
        billable?.seconds ?? 0,
        billable?.rounded ?? 0,
      ])
      for (const depth of by.keys())
        expect(figuresByName(found.groups, depth + 1), label).toEqual(sumParts(parts, by.slice(0, depth + 1)))
    }
  })

  test('of months and their rounded durations add up to those of quarters and of the year', async () => {
    const cli = await withRates()
    for (const [text] of [['1s'], ...roundings] as const) {
      const reportOf = (period: string) => {
        const options = ['--since', period, '--until', period, '--by', 'client', '--round', text]
        return cli.json<BilledReport>('report', ...options)
      }
      const sumsOf = (reports: BilledReport[]) => {
        const amounts = new Map<string, bigint>()
        for (const [key, units] of reports.flatMap(unitsByCurrency))
          amounts.set(key, (amounts.get(key) ?? 0n) + units)
        return { amounts, rounded: reports.reduce((sum, one) => sum + one.rounded_seconds, 0) }
      }
      const monthNames = Array.from({ length: 12 }, (_, month) => String(month + 1).padStart(2, '0'))
      const months = await Promise.all(monthNames.map((month) => reportOf(`${year.year}-${month}`)))
      const quarters = await Promise.all([1, 2, 3, 4].map((quarter) => reportOf(`${year.year}-Q${quarter}`)))
      for (const [index, quarter] of quarters.entries())
        expect(sumsOf(months.slice(index * 3, index * 3 + 3))).toEqual(sumsOf([quarter]))
      expect(sumsOf(months)).toEqual(sumsOf([await reportOf(String(year.year))]))
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
    for (const { seconds, rounded_seconds: rounded, amounts } of reviews) {
      expect(rounded).toBe(Math.ceil(seconds / 900) * 900)
      const units = (2n * 33_335n * BigInt(rounded) + 36_000n) / 72_000n
      expect(amounts.map(({ amount }) => unitsOf(amount))).toEqual([units])
    }
  })
})
