import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRounding, roundSeconds } from '../../../../src/lib/calendar/rounding.js'
import { fromUnits } from '../../../../src/lib/decimals.js'
import type { Annex } from '../../../../src/lib/invoice-words.js'
import type { InvoiceBody } from '../../../../src/records/shapes/invoices.js'
import { lineAmount, negate, roundAmount } from '../../../../src/report/invoice/decimals.js'
import { cancellationOf, createDraft, type ExpenseMode } from '../../../../src/report/invoice/document.js'
import { type BilledEntry, type TaxTerms, totalsOf } from '../../../../src/report/invoice/lines.js'
import { billedEntry, recipient, sender } from '../../ui/page/invoice/example.js'
import { decimal, type ModelEntry, modelInvoice } from './model.js'

const standard: TaxTerms = { category: 'standard', percent: '19', reason: null }

const entryOf = ({ rateHundredths, ...entry }: ModelEntry, id: number, billed_seconds = entry.seconds) =>
  billedEntry(Date.UTC(2024, 4, 1 + id), { ...entry, id, rate: decimal(rateHundredths, 2), billed_seconds })

function draftOf(
  entries: readonly BilledEntry[],
  {
    currency = 'EUR',
    tax = standard,
    expenses = [] as string[],
    expenseMode = 'net' as ExpenseMode,
    annex = 'none' as Annex,
  } = {},
): InvoiceBody {
  return createDraft({
    terms: {
      ...{ currency, locale: 'en', tax, sender, recipient, client: 'Acme', client_id: 1 },
      ...{ reference: null, due: null, iban: null, note: null, logo: null },
    },
    ...{ date: '2024-06-01', since: '2024-05-01', until: '2024-05-31', entries, expenseMode, annex },
    expenses: expenses.map((amount, id) => ({ id, date: '2024-05-02', description: 'Travel', amount })),
  })
}

const hundredths = (text: string) => BigInt(text.replace('.', ''))
const total = (texts: readonly string[]) => texts.reduce((sum, text) => sum + hundredths(text), 0n)

describe('decimals', () => {
  test.each([
    ['0.01', '0.50', 'EUR', '0.01'],
    ['0.01', '0.49', 'EUR', '0.00'],
    ['1.00', '95.50', 'JPY', '96'],
    ['1.25', '41.125', 'KWD', '51.406'],
    ['99999999.99', '999999.99', 'EUR', '99999998990000.00'],
  ])('%s hours at %s are in %s %s', (hours, rate, currency, amount) => {
    expect(lineAmount(hours, rate, currency)).toBe(amount)
  })

  test.each([
    [5n, 2, '0.05'],
    [-5n, 3, '-0.005'],
    [0n, 0, '0'],
  ])('%s units with %s places are %s', (units, places, amount) => {
    expect(fromUnits(units, places)).toBe(amount)
  })

  test('no amount is a negative zero', () => {
    expect([negate('0.00'), negate('0'), roundAmount('-0.001', 'EUR')]).toEqual(['0.00', '0', '0.00'])
    expect([negate('12.50'), negate('-12.50')]).toEqual(['-12.50', '12.50'])
  })
})

const arbitraryEntry = fc.record({
  description: fc.constantFrom('Website / Design', 'Website / Review', 'App', 'ΑΒΓ'),
  rateHundredths: fc.bigInt({ min: 0n, max: 50_000n }),
  seconds: fc.integer({ min: 0, max: 40_000 }),
})
const arbitraryStep = fc.option(
  fc.record({
    seconds: fc.constantFrom(360, 600, 900, 1800),
    direction: fc.constantFrom('up' as const, 'down' as const, 'nearest' as const),
  }),
  { nil: undefined },
)

test('hours, amounts, tax and total are those of the model', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryEntry, { maxLength: 40 }),
      fc.array(fc.bigInt({ min: -500_000n, max: 50_000_000n }), { maxLength: 5 }),
      fc.bigInt({ min: 1n, max: 25_000n }),
      fc.constantFrom(['EUR', 2] as const, ['JPY', 0] as const, ['KWD', 3] as const),
      arbitraryStep,
      fc.boolean(),
      (modelEntries, expenses, taxThousandths, [currency, decimals], step, isExpenseTaxed) => {
        const rounding = step && parseRounding(`${step.seconds / 60}m:${step.direction}`)
        const entries = modelEntries.map((entry, id) =>
          entryOf(entry, id, rounding ? roundSeconds(entry.seconds, rounding) : entry.seconds),
        )
        const terms = { decimals, expenses, isExpenseTaxed, step, taxThousandths }
        const { lines: expectedLines, ...sums } = modelInvoice(modelEntries, terms)
        const draft = draftOf(entries, {
          currency,
          tax: { ...standard, percent: decimal(taxThousandths, 3) },
          expenses: expenses.map((amount) => decimal(amount, 4)),
          expenseMode: isExpenseTaxed ? 'net' : 'gross',
        })
        const lines = draft.lines.map(({ description, rate, hours, amount }) => ({
          ...{ description, rate, hours, amount },
        }))
        const byKey = (a: { description: string; rate: string }, b: typeof a) =>
          `${a.description} ${a.rate}` < `${b.description} ${b.rate}` ? -1 : 1
        expect(lines.sort(byKey)).toEqual(expectedLines.sort(byKey))
        expect(draft).toMatchObject(sums)
      },
    ),
    { numRuns: 500 },
  )
})

test('the hours of the annex and the amounts of the entries add up to the lines', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryEntry, { minLength: 1, maxLength: 60 }),
      fc.constantFrom('days' as const, 'entries' as const),
      (modelEntries, annex) => {
        const draft = draftOf(
          modelEntries.map((entry, id) => entryOf(entry, id)),
          { annex },
        )
        expect(total(draft.annex.map(({ hours }) => hours))).toBe(
          total(draft.lines.map(({ hours }) => hours)),
        )
        for (const [index, line] of draft.lines.entries()) {
          const own = draft.entries.filter((entry) => entry.line === index)
          // A line without time has no amount to distribute.
          expect(total(own.map(({ amount }) => amount))).toBe(hundredths(line.amount))
        }
      },
    ),
  )
})

test('entries and the annex are in the order of the starts, and days have one row each', () => {
  const [first, second, third] = ['Review', 'Design', 'Review'].map((description, id) =>
    entryOf({ description, rateHundredths: 9500n, seconds: 3600 }, id),
  ) as [BilledEntry, BilledEntry, BilledEntry]
  const sameDay = { ...third, day: second.day, time_start: second.time_start.replace('T00', 'T01') }
  const { entries, annex } = draftOf([sameDay, second, first], { annex: 'days' })
  expect(entries.map(({ id }) => id)).toEqual([0, 1, 2])
  expect(annex.map(({ date, hours }) => [date, hours])).toEqual([
    [first.day, '1.00'],
    [second.day, '2.00'],
  ])
})

test('each tax rate is computed from its own net amount', () => {
  const position = (amount: string, tax_percent: string) =>
    ({ amount, tax_percent, tax_category: 'standard' }) as const
  const positions = [position('100.00', '19'), position('50.00', '7'), position('10.00', '19')]
  expect(totalsOf(positions, { currency: 'EUR', reasons: [standard] })).toMatchObject({
    taxes: [
      { tax_percent: '19', net: '110.00', tax: '20.90' },
      { tax_percent: '7', net: '50.00', tax: '3.50' },
    ],
    ...{ net: '160.00', tax: '24.40', total: '184.40' },
  })
})

test('a cancellation has the negative hours and amounts of its invoice, and adds up to zero with it', () => {
  fc.assert(
    fc.property(fc.array(arbitraryEntry, { minLength: 1, maxLength: 20 }), (modelEntries) => {
      const entries = modelEntries.map((entry, id) => entryOf(entry, id))
      const draft = { ...draftOf(entries, { expenses: ['12.50'] }), number: 'A-1', due: '2024-06-15' }
      const cancellation = cancellationOf(draft, '2024-07-01')
      expect(cancellation).toMatchObject({
        ...{ kind: 'cancellation', cancels: 'A-1', date: '2024-07-01', due: null },
        expenses: [{ amount: '-12.50' }],
      })
      for (const key of ['net', 'tax', 'total'] as const)
        expect(hundredths(draft[key]) + hundredths(cancellation[key])).toBe(0n)
      expect(JSON.stringify(cancellation)).not.toContain('"-0.00"')
      for (const [index, { hours, rate, amount }] of cancellation.lines.entries()) {
        expect(lineAmount(hours, rate, 'EUR')).toBe(amount)
        expect(total([hours, draft.lines[index]?.hours ?? ''])).toBe(0n)
      }
    }),
  )
})

test('notes are only in an annex of entries', () => {
  const entries = [entryOf({ description: 'A', rateHundredths: 100n, seconds: 3600 }, 1)]
  expect(JSON.stringify(draftOf(entries))).not.toContain('note 1')
  expect(JSON.stringify(draftOf(entries, { annex: 'days' }))).not.toContain('note 1')
  expect(draftOf(entries, { annex: 'entries' }).annex).toMatchObject([{ notes: 'note 1', hours: '1.00' }])
})

test('the same text with two rates is two lines, the higher rate first', () => {
  const rates = [5000n, 9500n].map((rateHundredths, id) =>
    entryOf({ description: 'A', rateHundredths, seconds: 3600 }, id),
  )
  expect(draftOf(rates).lines.map(({ rate }) => rate)).toEqual(['95.00', '50.00'])
})

test('expenses that are passed through are untaxed, and omitted ones are nowhere', () => {
  const entries = [entryOf({ description: 'A', rateHundredths: 10_000n, seconds: 3600 }, 1)]
  expect(draftOf(entries, { expenses: ['10.005'], expenseMode: 'gross' })).toMatchObject({
    ...{ net: '110.01', tax: '19.00', total: '129.01' },
    taxes: [
      { tax_category: 'standard', net: '100.00', tax: '19.00' },
      { tax_category: 'outside', tax_percent: '0', net: '10.01', tax: '0.00' },
    ],
  })
  expect(draftOf(entries, { expenses: ['10'], expenseMode: 'none' })).toMatchObject({
    expenses: [],
    net: '100.00',
  })
})
