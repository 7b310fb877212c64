import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const createExpenseCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.run('start', 'Acme/Website/Design')
  await cli.run('cancel', '--yes')
  for (const type of ['Travel', 'Meals', 'Memberships']) await cli.run('admin', 'expense-types', 'add', type)
  await cli.run('expenses', 'add', '48.90', '--type', 'trav', '--on', '2024-05-02', '-n', 'train to Köln')
  await cli.run('expenses', 'add', '12.5', '--type', 'Meals', '--on', '2024-04-30', '--project', 'web')
  await cli.run('expenses', 'add', '7', '--external-id', 'R-1')
})

test('an expense is listed by day with the names of its type, project and client', async () => {
  const cli = await createExpenseCli()
  expect(await cli.json<Row[]>('expenses')).toMatchObject([
    { spent_on: '2024-04-30', amount: '12.50', expense_type: 'Meals', project: 'Website', client: 'Acme' },
    {
      spent_on: '2024-05-02',
      amount: '48.90',
      expense_type: 'Travel',
      project: null,
      notes: 'train to Köln',
    },
    { spent_on: '2024-05-03', amount: '7.00', expense_type: null, currency: 'EUR', external_id: 'R-1' },
  ])
  expect((await cli.runInTerminal(80, 'expenses')).stdout).toMatchInlineSnapshot(`
    "ID  Day         Amount  Currency  Type    Project  Notes
     2  2024-04-30   12.50  EUR       Meals   Website
     1  2024-05-02   48.90  EUR       Travel           train to Köln
     3  2024-05-03    7.00  EUR
    "
  `)
})

describe('add', () => {
  test('prints the added expense', async () => {
    const cli = await createExpenseCli()
    const added = await cli.run('expenses', 'add', '3.20', '--type', 'MEALS', '--on', 'yesterday')
    expect(added).toMatchObject({ status: 0, stderr: 'Added expense 4: 3.20 EUR, Meals, 2024-05-02.\n' })
    expect((await cli.runInTerminal(80, 'expenses', 'add', '1')).stdout).toBe('')
  })

  test('uses the currency of the company unless --currency is given, in any case', async () => {
    const cli = await createExpenseCli()
    await cli.run('admin', 'company', '--currency', 'CHF')
    expect(await cli.json('expenses', 'add', '1')).toMatchObject({ currency: 'CHF' })
    expect(await cli.json('expenses', 'add', '1', '--currency', 'usd')).toMatchObject({ currency: 'USD' })
  })

  test.each([
    ['0', '0.00'],
    ['0.005', '0.005'],
    ['999999999999.9999', '999999999999.9999'],
  ])('stores the amount %s exactly', async (amount, stored) => {
    expect(await createTestCli().json('expenses', 'add', amount)).toMatchObject({ amount: stored })
  })

  test('accepts a negative amount as an option and after --', async () => {
    const cli = createTestCli()
    expect(await cli.json('expenses', 'add', '--amount', '-3.5')).toMatchObject({ amount: '-3.50' })
    const refund = await cli.run('expenses', 'add', '--json', '--', '-3.50')
    expect(refund.json()).toMatchObject({ amount: '-3.50' })
  })

  test('--field sets any field, and accepts JSON after :=', async () => {
    const cli = await createExpenseCli()
    expect(
      await cli.json('expenses', 'add', '1', '--field', 'notes=a=b', '--field', 'expense_type_id:=2'),
    ).toMatchObject({ notes: 'a=b', expense_type: 'Meals' })
  })

  test('returns the existing expense for an equal external ID', async () => {
    const cli = await createExpenseCli()
    const history = await cli.json('undo', '--list')
    expect(await cli.json('expenses', 'add', '7', '--external-id', 'R-1')).toMatchObject({ id: 3 })
    expect(await cli.json('expenses')).toHaveLength(3)
    const { stderr } = await cli.run('expenses', 'add', '7', '--external-id', 'R-1')
    expect(stderr).toBe(
      'Nothing was added: expense 3: 7.00 EUR, 2024-05-03, has the external ID R-1 and the same content.\n',
    )
    expect(await cli.run('expenses', 'add', '8', '--external-id', 'R-1')).toMatchObject({
      status: 7,
      stderr: expect.stringContaining('the amount is 7.00 there, and 8 here'),
    })
    expect(await cli.json('undo', '--list')).toEqual(history)
  })

  test('add rejects invalid arguments, and records nothing', async () => {
    const cli = await createExpenseCli()
    for (const [words, status, message] of [
      ['€5 --currency CHF', 2, 'amount: "€5" is in EUR, and --currency is CHF.'],
      ['5EURO', 2, '"5EURO" is not an amount'],
      ['1.', 2, '"1." is not an amount'],
      ['1.23456', 2, '"1.23456" is not an amount'],
      ['1234567890123', 2, '"1234567890123" is not an amount'],
      ["''", 2, '"" is not an amount'],
      ['', 2, '"amount"'],
      ['1 --amount 2', 2, '--amount'],
      ['1 2', 2, '"1 2" is not an amount'],
      ['1 EUR 2', 2, '"1 EUR 2" is not an amount'],
      ['1 --type Travle', 2, '"Travle" matches no expense type. Did you mean Travel?'],
      ['1 --type me', 2, '"me" matches several: Meals, Memberships.'],
      ["1 --type ''", 2, '"" matches no expense type'],
      ['1 --type 99', 2, '"99" matches no expense type'],
      ['1 --project nonesuch', 2, '"nonesuch" matches no project'],
      ['1 --on nonesuch', 2, '"nonesuch" is not a date'],
      ['1 --on may', 2, '"may" is more than one day'],
      ['1 --currency euros', 2, '--currency: "euros" is not a currency code (ISO 4217).'],
      ['1 --currency $', 2, '--currency: "$" can be USD or CAD or AUD.'],
      ['1 --field notes=a --field notes=b', 2, '--field sets notes twice'],
      ['1 --field notes:=7', 7, 'notes'],
      ['1 --field amount=4', 2, '--field repeats amount, which another option sets'],
      ['1 --field expense_type_id:=99', 7, 'expense_type_id'],
    ] as const) {
      const rejected = await cli.run('expenses', 'add', ...splitCommandLine(words))
      expect(rejected).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect(await cli.json('expenses')).toHaveLength(3)
  })
})

test('list rejects invalid filters', async () => {
  const cli = await createExpenseCli()
  for (const [words, status, message] of [
    ['--where colour_eq=red', 7, 'colour'],
    ['--where notes_eq=a --where notes_eq=b', 2, 'notes_eq twice'],
    ['--limit 2', 2, '--limit'],
    ['nonesuch', 2, 'Unknown command "nonesuch"'],
  ] as const) {
    const rejected = await cli.run('expenses', ...splitCommandLine(words))
    expect(rejected).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
  }
})

describe('edit', () => {
  test('changes only the given fields', async () => {
    const cli = await createExpenseCli()
    const before = await cli.json<Row[]>('expenses', '--where', 'id_eq=1')
    const edited = await cli.run('expenses', 'edit', '1', '--amount', '50', '--type', 'Meals')
    expect(edited).toMatchObject({ status: 0, stderr: 'Changed expense 1: 50.00 EUR, Meals, 2024-05-02.\n' })
    const [after] = await cli.json<Row[]>('expenses', '--where', 'id_eq=1')
    expect(after).toEqual({
      ...before[0],
      amount: '50.00',
      expense_type: 'Meals',
      expense_type_id: 2,
      updated_at: expect.any(String),
      etag: expect.any(String),
    })
  })

  test('clears notes with an empty text, and the type with null', async () => {
    const cli = await createExpenseCli()
    expect(
      await cli.json('expenses', 'edit', '1', '-n', '', '--field', 'expense_type_id:=null'),
    ).toMatchObject({ notes: '', expense_type: null })
  })

  test('does not change an archived type, and rejects it as a new one', async () => {
    const cli = await createExpenseCli()
    await cli.run('admin', 'expense-types', 'archive', 'Travel')
    expect(await cli.json('expenses', 'edit', '1', '--amount', '50')).toMatchObject({ expense_type_id: 1 })
    expect((await cli.run('expenses', 'edit', '2', '--type', 'Travel')).status).toBe(2)
    expect((await cli.run('expenses', 'edit', '2', '--field', 'expense_type_id:=1')).status).toBe(7)
  })

  test('rejects invalid arguments, and changes nothing', async () => {
    const cli = await createExpenseCli()
    const before = await cli.json('expenses')
    for (const [words, status, message] of [
      ['1', 2, 'No changes were specified'],
      ['', 2, '"id"'],
      ['99 --amount 1', 3, 'no expense 99'],
      ['abc --amount 1', 3, 'abc'],
      ['../timesheets/1 --notes x', 3, 'no expense ../timesheets/1'],
      ['1 --amount x', 2, '"x" is not an amount'],
      ["1 --on 'last week'", 2, 'more than one day'],
      ['1 --type Mealss', 2, 'matches no expense type'],
      ['1 --external-id R-1', 7, 'external_id'],
      ['1 --field spent_on=soon', 7, 'spent_on'],
    ] as const) {
      const rejected = await cli.run('expenses', 'edit', ...splitCommandLine(words))
      expect(rejected).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect(await cli.json('expenses')).toEqual(before)
  })
})

describe('rm', () => {
  test('deletes each expense once and prints it', async () => {
    const cli = await createExpenseCli()
    const removed = await cli.run('expenses', 'rm', '1', '1', '3', '--yes')
    expect(removed).toMatchObject({
      status: 0,
      stderr: 'Deleted expense 1: 48.90 EUR, Travel, 2024-05-02.\nDeleted expense 3: 7.00 EUR, 2024-05-03.\n',
    })
    expect(await cli.json('expenses')).toMatchObject([{ amount: '12.50' }])
  })

  test('rejects invalid arguments, and deletes nothing', async () => {
    const cli = await createExpenseCli()
    for (const [words, status, message] of [
      ['1', 2, '--yes'],
      ['1 99 --yes', 3, 'no expense 99'],
      ['abc --yes', 3, 'no expense abc'],
      ['--yes', 2, '"id"'],
    ] as const) {
      const rejected = await cli.run('expenses', 'rm', ...splitCommandLine(words))
      expect(rejected).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect(await cli.json('expenses')).toHaveLength(3)
  })
})

test('the currency may follow the amount as a word, and undo names it', async () => {
  const cli = await createExpenseCli()
  for (const [words, amount, currency] of [
    [['42.50', 'EUR'], '42.50', 'EUR'],
    [['1200', 'jpy'], '1200.00', 'JPY'],
    [['CHF', '84'], '84.00', 'CHF'],
    [['12.50'], '12.50', 'EUR'],
  ] as const) {
    expect(await cli.json('expenses', 'add', ...words, '--type', 'Travel')).toMatchObject({
      amount,
      currency,
    })
    const typed = words.find((word) => /\d/.test(word))
    expect((await cli.run('undo')).stderr).toBe(`Undid: Added an expense of ${typed} ${currency}.\n`)
  }
})
