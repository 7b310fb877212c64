import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GroupJson } from '../../src/records/shapes/reports.js'
import { preparedCli } from '../support/prepared-cli.js'
import { storeManyEntries } from '../support/stored-entries.js'
import { cellsOf } from './report-fixtures.js'

/*
 * Hours and amounts of reports, compared with a model in whole numbers that shares no code with the program: over random
 * entries on days of a clock change, rates, currencies and roundings, in JSON, CSV, the terminal and HTML.
 */

const names = { client: ['Acme', 'Globex'], project: ['Web', 'App'], task: ['Dev', 'Ops'] } as const
const levels = ['client', 'project', 'task'] as const
const digits = { EUR: 2, JPY: 0, KWD: 3 } as const
const roundings = ['none', '15m:up', '6m', '1h:down', '10m:nearest'] as const
type Rounding = (typeof roundings)[number]
interface Price {
  /** Thousandths of the currency. */
  thousandths: number
  currency: keyof typeof digits
}
type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never

const paths = names.client.flatMap((client) =>
  names.project.flatMap((project) => names.task.map((task) => `${client}/${project}/${task}`)),
)
/** Creates a `TestCli` with a task for each path. */
const createTaskCli = preparedCli('2024-12-01T12:00:00', async (cli) => {
  for (const path of paths) {
    await cli.json('start', path, '--create', '--yes')
    await cli.json('cancel', '--yes')
  }
})

const path = fc.tuple(
  fc.constantFrom(...names.client),
  fc.constantFrom(...names.project),
  fc.constantFrom(...names.task),
)
/** Around the changes of Europe/Berlin at 01:00 UTC. */
const start = fc
  .tuple(
    fc.constantFrom('2024-03-31T01:00:00Z', '2024-10-27T01:00:00Z'),
    fc.integer({ min: -90_000, max: 90_000 }),
  )
  .map(([change, seconds]) => new Date(Date.parse(change) + seconds * 1000))
const entry = fc.record({
  path,
  from: start,
  seconds: fc.integer({ min: 60, max: 30_000 }),
})
type ModelEntry = ValueOf<typeof entry>
const price: fc.Arbitrary<Price> = fc
  .record({ cents: fc.integer({ min: 0, max: 20_000 }), currency: fc.constantFrom('EUR', 'JPY', 'KWD') })
  .map(({ cents, currency }) => ({ thousandths: cents * 10, currency }))
/** null for time that is not billable, undefined without a rate. */
const anyPrice = fc.oneof({ weight: 4, arbitrary: price }, fc.constant(null), fc.constant(undefined))
const cases = fc.record({
  entries: fc.array(entry, { minLength: 1, maxLength: 9 }),
  prices: fc.record({
    'Acme/Web': price,
    'Acme/App': anyPrice,
    'Globex/Web': anyPrice,
    'Globex/App': anyPrice,
  }),
  rounding: fc.constantFrom(...roundings),
  isSetting: fc.boolean(),
})
type Case = ValueOf<typeof cases>

/** Rounds an entry, a half step up. */
function roundedOf(seconds: number, rounding: Rounding): number {
  const step = { none: 1, '15m:up': 900, '6m': 360, '1h:down': 3600, '10m:nearest': 600 }[rounding]
  const extra = rounding === '15m:up' ? step - 1 : rounding === '1h:down' ? 0 : Math.floor(step / 2)
  return Math.floor((seconds + extra) / step) * step
}

interface Figures {
  name: string
  seconds: number
  rounded: number
  billable: number
  amounts: Map<string, bigint>
  rates: Set<string>
  children: Figures[]
  /** Displayed minutes. */
  shown: { seconds: number; rounded: number; billable: number }
}

function figuresOf(name: string, entries: readonly ModelEntry[], one: Case, depth: number): Figures {
  const figures: Figures = {
    ...{ name, seconds: 0, rounded: 0, billable: 0, amounts: new Map(), rates: new Set() },
    ...{ children: [], shown: { seconds: 0, rounded: 0, billable: 0 } },
  }
  for (const { path, seconds } of entries) {
    const price = one.prices[`${path[0]}/${path[1]}`]
    const rounded = roundedOf(seconds, one.rounding)
    figures.seconds += seconds
    figures.rounded += rounded
    if (price !== null) figures.billable += rounded
    figures.rates.add(price ? rateText(price) : '')
    if (!price) continue
    const scale = 10n ** BigInt(3 - digits[price.currency])
    // Half up, in the smallest unit of the currency.
    const numerator = BigInt(price.thousandths) * BigInt(rounded)
    const units = (2n * numerator + 3600n * scale) / (2n * 3600n * scale)
    figures.amounts.set(price.currency, (figures.amounts.get(price.currency) ?? 0n) + units)
  }
  if (depth === levels.length) return figures
  const groups = new Map<string, ModelEntry[]>()
  for (const each of entries) {
    const key = each.path[depth] ?? ''
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  figures.children = [...groups]
    .map(([key, list]) => figuresOf(key, list, one, depth + 1))
    .sort((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1))
  return figures
}

/** Distributes displayed minutes over parts by largest remainder, the first of equal ones first. */
function distribute(total: number, parts: readonly number[]): number[] {
  const whole = parts.map((part) => Math.floor(part / 60))
  const order = parts
    .map((part, index) => ({ index, rest: part % 60 }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index)
  const missing = total - whole.reduce((sum, part) => sum + part, 0)
  for (const { index } of order.slice(0, missing)) whole[index] = (whole[index] ?? 0) + 1
  return whole
}

function show(figures: Figures, seconds: number, rounded: number) {
  const [billable = 0] = distribute(rounded, [figures.billable, figures.rounded - figures.billable])
  figures.shown = { seconds, rounded, billable }
  const exact = distribute(
    seconds,
    figures.children.map((child) => child.seconds),
  )
  const round = distribute(
    rounded,
    figures.children.map((child) => child.rounded),
  )
  for (const [index, child] of figures.children.entries()) show(child, exact[index] ?? 0, round[index] ?? 0)
}

const hoursText = (minutes: number) => {
  const hundredths = Math.floor((minutes * 100 * 2 + 60) / 120)
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`
}
const timeText = (minutes: number) =>
  minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
function decimal(units: bigint, places: number): string {
  const text = String(units).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}
/** A price has two places at least, as it was typed, and those of its currency. */
function rateText({ thousandths, currency }: Price): string {
  const places = Math.max(2, digits[currency])
  return `${decimal(BigInt(thousandths) / 10n ** BigInt(3 - places), places)} ${currency}`
}
const rateOf = ({ rates }: Figures) => (rates.size === 1 ? ([...rates][0] ?? '') : '')
const amountsOf = ({ amounts }: Figures) =>
  [...amounts].sort().map(([code, units]) => `${decimal(units, digits[code as keyof typeof digits])} ${code}`)
const plain = (text: string) => text.replaceAll(',', '')

const jsonFigures = (group: GroupJson): unknown => ({
  ...{ seconds: group.seconds, rounded: group.rounded_seconds, billable: group.billable_rounded_seconds },
  ...{ hours: group.hours, billableHours: group.billable_hours },
  rate: group.rate ? `${group.rate.amount} ${group.rate.currency}` : '',
  amounts: group.amounts.map(({ amount, currency }) => `${amount} ${currency}`),
  groups: group.groups.map((inner) => [inner.key, jsonFigures(inner)]),
})
const modelFigures = (figures: Figures): unknown => ({
  ...{ seconds: figures.seconds, rounded: figures.rounded, billable: figures.billable },
  ...{ hours: hoursText(figures.shown.rounded), billableHours: hoursText(figures.shown.billable) },
  rate: rateOf(figures),
  amounts: amountsOf(figures),
  groups: figures.children.map((child) => [child.name, modelFigures(child)]),
})

/** Returns the groups from outside to inside, without the whole. */
const inOrder = (figures: Figures): Figures[] =>
  figures.children.flatMap((child) => [child, ...inOrder(child)])

test('hours and amounts equal a model in JSON, CSV, the terminal and HTML', {
  tags: 'slow',
  timeout: 600_000,
}, async () => {
  expect(process.env.TZ).toBe('Europe/Berlin')
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const cli = await createTaskCli()
      const entries = one.entries.map(({ path, from, seconds }) => ({
        ...{ startMs: from.getTime(), lengthMs: seconds * 1000, notes: null },
        link: paths.indexOf(path.join('/')),
      }))
      await storeManyEntries(join(cli.home, 'workspace.db'), entries)
      const rates = Object.entries(one.prices).flatMap(([name, price]) =>
        price === undefined ? [] : [[`rate.${name}`, price === null ? 'none' : rateText(price)]],
      )
      const hasRounding = one.rounding !== 'none'
      const rounding = hasRounding && one.isSetting ? { 'round.*': one.rounding } : {}
      writeFileSync(
        join(cli.home, 'config.json'),
        JSON.stringify({ ...Object.fromEntries(rates), ...rounding }),
      )
      const round = hasRounding && !one.isSetting ? ['--round', one.rounding] : []
      const options = ['report', '2024', '--by', levels.join(','), ...round]

      const model = figuresOf('Total', one.entries, one, 0)
      show(model, Math.floor(model.seconds / 60), Math.floor(model.rounded / 60))
      expect(jsonFigures(await cli.json<GroupJson>(...options))).toEqual(modelFigures(model))

      const rows: Record<string, string>[] = parse((await cli.run(...options, '--csv')).stdout, {
        columns: true,
      })
      const leaves = inOrder(model).filter(({ children }) => children.length === 0)
      const currencies = [...model.amounts.keys()].sort()
      expect(
        rows.map((row) => [
          ...[row.task, row.hours, row.billable_hours, `${row.rate} ${row.rate_currency}`.trim()],
          currencies.flatMap((code) => {
            const amount = row[`amount_${code.toLowerCase()}`]
            return amount ? `${amount} ${code}` : []
          }),
        ]),
      ).toEqual(
        leaves.map((leaf) => [
          ...[leaf.name, hoursText(leaf.shown.rounded), hoursText(leaf.shown.billable), rateOf(leaf)],
          amountsOf(leaf),
        ]),
      )

      const lines = (await cli.runInTerminal(200, ...options)).stdout.split('\n').slice(1)
      for (const [index, group] of inOrder(model).entries()) {
        const [name, time, ...others] = (lines[index] ?? '').trim().split(/ {2,}/)
        expect([name, time]).toEqual([group.name, timeText(group.shown.seconds)])
        if (hasRounding) expect(others.shift()).toBe(timeText(group.shown.rounded))
        expect(others.slice(2).map(plain)).toEqual(amountsOf(group).map((amount) => amount.split(' ')[0]))
      }

      const { stdout: page } = await cli.run(...options, '--html')
      const [, table = ''] = /<table class="groups[^>]*>([\s\S]*?)<\/table>/.exec(page) ?? []
      const [titles = [], ...cells] = cellsOf(table)
      const isMixed = model.billable < model.rounded
      const all = [...inOrder(model), model]
      expect(cells).toHaveLength(all.length)
      for (const [index, group] of all.entries()) {
        const row = Object.fromEntries((cells[index] ?? []).map((cell, column) => [titles[column], cell]))
        const { seconds, rounded, billable } = group.shown
        expect(row[hasRounding ? 'Rounded time' : 'Time']).toBe(timeText(rounded))
        if (hasRounding) expect(row['Exact time']).toBe(timeText(seconds))
        expect(row[isMixed ? 'Billable hours' : 'Hours']).toBe(hoursText(isMixed ? billable : rounded))
        expect(plain((row.Amount ?? '').replaceAll(', ', ';'))).toBe(amountsOf(group).join(';'))
        if ('Rate' in row) expect(row.Rate).toBe(rateOf(group))
      }
    }),
    { numRuns: Number(process.env.TT_RUNS ?? 12) },
  )
})
