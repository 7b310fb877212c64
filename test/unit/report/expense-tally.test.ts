import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ExpenseDimension, expenseDimensions } from '../../../src/records/report-names.js'
import { type ExpenseGroup, tallyExpenses } from '../../../src/report/expense-tally.js'
import type { NamedExpense } from '../../../src/tracking/entries/expenses/expense.js'

let lastId = 0

const named = (name: string | null, id = name) => (name === null || id === null ? null : { id, name })

/** Returns an expense on a day: `expenseOf('2024-05-01', '12.50', 'EUR')`. */
function expenseOf(
  day: string | null,
  amount: string | null,
  currency: string | null = 'EUR',
  on: { type?: string | null; project?: string | null; projectId?: string; client?: string | null } = {},
): NamedExpense {
  const { type = 'Travel', project = null, projectId = project, client = null } = on
  lastId++
  return {
    id: lastId,
    type: named(type),
    project: named(project, projectId),
    client: named(client),
    pending: false,
    invoice: null,
    currency,
    dateField: 'spent_on',
    wire: {
      id: lastId,
      spent_on: day,
      amount,
      currency,
      expense_type_id: null,
      project_id: null,
      notes: null,
    },
  }
}

const queryBy = (...by: ExpenseDimension[]) => ({
  by,
  period: {},
  weekStart: 1 as const,
})

/** Returns the groups as indented lines: "Travel 2: 12.50 EUR". */
function outline(groups: readonly ExpenseGroup[], depth = 0): string[] {
  return groups.flatMap(({ label, count, amounts, groups }) => [
    `${'  '.repeat(depth)}${label} ${count}: ${amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(', ')}`,
    ...outline(groups, depth + 1),
  ])
}

const sums = (...expenses: NamedExpense[]) =>
  tallyExpenses(expenses, queryBy('type')).amounts.map(({ amount, currency }) => `${amount} ${currency}`)

describe('a sum', () => {
  test('is exact, with the decimal places of its currency', () => {
    expect(sums(expenseOf(null, '0.1'), expenseOf(null, '0.2'))).toEqual(['0.30 EUR'])
    expect(sums(expenseOf(null, '1000', 'JPY'), expenseOf(null, '1', 'JPY'))).toEqual(['1001 JPY'])
    expect(sums(expenseOf(null, '1.5', 'KWD'))).toEqual(['1.500 KWD'])
    expect(sums(expenseOf(null, '7'), expenseOf(null, '-7'))).toEqual(['0.00 EUR'])
    expect(sums(...Array.from({ length: 100 }, () => expenseOf(null, '999999999999.9999')))).toEqual([
      '99999999999999.9900 EUR',
    ])
  })

  test('has more decimal places when an amount has more', () => {
    expect(sums(expenseOf(null, '1.5'), expenseOf(null, '0.005'))).toEqual(['1.505 EUR'])
    expect(sums(expenseOf(null, '0.5', 'JPY'), expenseOf(null, '0.5', 'JPY'))).toEqual(['1.0 JPY'])
  })

  test('never combines currencies', () => {
    expect(sums(expenseOf(null, '1', 'USD'), expenseOf(null, '2'), expenseOf(null, '3', 'usd'))).toEqual([
      '2.00 EUR',
      '4.00 USD',
    ])
    expect(sums(expenseOf(null, '1', null), expenseOf(null, '1', 'points'))).toEqual([
      '1.00 POINTS',
      '1.00 XXX',
    ])
  })

  test('omits expenses without an amount, and names them', () => {
    const [nothing, empty] = [expenseOf(null, null), expenseOf(null, ' ')]
    const report = tallyExpenses([nothing, expenseOf(null, '1'), empty], queryBy('type'))
    expect(report).toMatchObject({
      count: 3,
      amounts: [{ amount: '1.00' }],
      withoutAmount: [nothing.id, empty.id],
    })
  })

  test.each(['12,50', '1e3', 'abc', '--1', '.5', 'NaN', '0x10'])('rejects the amount %j', (amount) => {
    const expense = expenseOf(null, amount)
    expect(() => tallyExpenses([expenseOf(null, '1'), expense], queryBy('type'))).toThrow(
      `The amount of expense ${expense.id} is not a decimal number: "${amount}".`,
    )
  })
})

describe('groups of expenses', () => {
  const expenses = [
    expenseOf('2024-05-02', '48.90', 'EUR', { type: 'Travel' }),
    expenseOf('2024-04-30', '12.50', 'EUR', { type: 'Meals', project: 'Website', client: 'Acme' }),
    expenseOf('2024-05-06', '7', 'EUR', {
      type: null,
      project: 'Website',
      projectId: 'other',
      client: 'Globex',
    }),
    expenseOf('2023-12-31', '100', 'EUR', { type: 'Meals' }),
  ]

  test.each<[ExpenseDimension[], string[]]>([
    [
      ['project'],
      ['no project 2: 148.90 EUR', 'Website (Acme) 1: 12.50 EUR', 'Website (Globex) 1: 7.00 EUR'],
    ],
    [['client'], ['no client 2: 148.90 EUR', 'Acme 1: 12.50 EUR', 'Globex 1: 7.00 EUR']],
    [['year'], ['2023 1: 100.00 EUR', '2024 3: 68.40 EUR']],
  ])('are as expected by %j', (by, lines) => {
    expect(outline(tallyExpenses(expenses, queryBy(...by)).groups)).toEqual(lines)
  })

  test('have weeks by the week_start setting, and names for days', () => {
    const weeks = (weekStart: 0 | 1) =>
      tallyExpenses(expenses, { ...queryBy('week'), weekStart }).groups.map(({ key }) => key)
    expect(weeks(1)).toEqual(['2023-12-25', '2024-04-29', '2024-05-06'])
    expect(weeks(0)).toEqual(['2023-12-31', '2024-04-28', '2024-05-05'])
    const [day] = tallyExpenses(expenses, queryBy('day')).groups
    expect(day).toMatchObject({ key: '2023-12-31', label: '2023-12-31 Sun', by: 'day', id: null })
  })

  test('with several currencies are sorted by name, because their sums cannot be compared', () => {
    const mixed = [
      expenseOf(null, '1', 'EUR', { type: 'B' }),
      expenseOf(null, '50', 'USD', { type: 'A' }),
      expenseOf(null, '9', 'EUR', { type: 'C' }),
    ]
    expect(outline(tallyExpenses(mixed, queryBy('currency', 'type')).groups)).toEqual([
      ...['EUR 2: 10.00 EUR', '  C 1: 9.00 EUR', '  B 1: 1.00 EUR'],
      ...['USD 1: 50.00 USD', '  A 1: 50.00 USD'],
    ])
  })

  test('collect expenses with an invalid date under no date', () => {
    const report = tallyExpenses([expenseOf('2024-02-30', '1'), expenseOf(null, '2')], queryBy('month'))
    expect(report.groups).toMatchObject([{ key: null, label: 'no day', count: 2 }])
  })
})

test('every level of groups has the same exact sum', () => {
  const tenThousandths = (amount: string) => {
    const [whole = '', fraction = ''] = amount.split('.')
    return BigInt(whole + fraction.padEnd(4, '0'))
  }
  const total = (all: { amount: string; currency: string }[]) => {
    const sums: Record<string, bigint> = {}
    for (const { amount, currency } of all) sums[currency] = (sums[currency] ?? 0n) + tenThousandths(amount)
    return sums
  }
  const anyAmount = fc
    .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 4 }))
    .map(([number, digits]) => {
      const text = String(number < 0n ? -number : number).padStart(digits + 1, '0')
      const sign = number < 0n ? '-' : ''
      return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
    })
  const anyExpense = fc
    .tuple(
      anyAmount,
      fc.constantFrom('EUR', 'USD', 'JPY', 'KWD'),
      fc.constantFrom('Travel', 'Meals', null),
      fc.constantFrom('2024-01-01', '2024-02-29', '2023-12-31', null),
    )
    .map(([amount, currency, type, day]) => expenseOf(day, amount, currency, { type }))
  fc.assert(
    fc.property(
      fc.array(anyExpense, { maxLength: 30 }),
      fc.subarray([...expenseDimensions], { minLength: 1, maxLength: 3 }),
      (expenses, by) => {
        const report = tallyExpenses(expenses, queryBy(...by))
        const wire = expenses.map(({ wire }) => ({
          amount: wire.amount ?? '',
          currency: wire.currency ?? '',
        }))
        expect(total(report.amounts)).toEqual(total(wire))
        const check = (
          groups: ExpenseGroup[],
          around: { count: number; amounts: { amount: string; currency: string }[] },
        ) => {
          if (groups.length === 0) return
          expect(total(groups.flatMap(({ amounts }) => amounts))).toEqual(total(around.amounts))
          expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(around.count)
          for (const group of groups) check(group.groups, group)
        }
        check(report.groups, report)
      },
    ),
  )
})
