import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'

type Row = Record<string, unknown>

const createExpenseCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h')
  for (const type of ['Travel', 'Meals', '設計']) await cli.json('admin', 'expense-types', 'add', type)
  const add = (amount: string, day: string, type: string, ...more: string[]) =>
    cli.json('expenses', 'add', amount, '--on', day, '--type', type, ...more)
  await add('48.90', '2024-05-02', 'Travel')
  await add('12.5', '2024-04-30', 'Meals', '--project', 'Website')
  await add('7.005', '2024-05-03', 'Meals')
  await add('20', '2024-05-03', 'Travel', '--currency', 'USD', '--project', 'Website')
  await add('1500', '2024-02-01', '設計', '--currency', 'JPY')
})

test('expenses are grouped by type, with a sum for each currency', async () => {
  const cli = await createExpenseCli()
  expect((await cli.runInTerminal(60, 'expenses', 'report')).stdout).toMatchInlineSnapshot(`
    "Type    Expenses     EUR    JPY    USD
    Meals          2  19.505
    Travel         2   48.90         20.00
    設計           1          1,500

    Total: 68.405 EUR, 1,500 JPY, 20.00 USD in 5 expenses.
    "
  `)
})

test('expenses are grouped by two keys, with subtotals', async () => {
  const cli = await createExpenseCli()
  const options = ['--by', 'month,type', '--since', '2024-04-01']
  const outcome = await cli.runInTerminal(60, 'expenses', 'report', ...options)
  expect(outcome.stdout).toMatchInlineSnapshot(`
    "Month / type  Expenses     EUR    USD
    2024-04              1   12.50
      Meals              1   12.50
    2024-05              3  55.905  20.00
      Meals              1   7.005
      Travel             2   48.90  20.00

    Total from 2024-04-01: 68.405 EUR, 20.00 USD in 4 expenses.
    "
  `)
})

test('the report is one object in JSON', async () => {
  const cli = await createExpenseCli()
  const usd = { count: 1, amounts: [{ currency: 'USD', amount: '20.00' }] }
  const eur = { count: 2, amounts: [{ currency: 'EUR', amount: '55.905' }] }
  expect(await cli.json('expenses', 'report', '--by', 'project,currency', 'month')).toEqual({
    ...{ since: '2024-05-01', until: '2024-05-31', count: 3 },
    amounts: [...eur.amounts, ...usd.amounts],
    by: ['project', 'currency'],
    groups: [
      {
        ...{ by: 'project', key: 'Website', id: 1, ...usd },
        groups: [{ by: 'currency', key: 'USD', id: null, ...usd, groups: [] }],
      },
      {
        ...{ by: 'project', key: null, id: null, ...eur },
        groups: [{ by: 'currency', key: 'EUR', id: null, ...eur, groups: [] }],
      },
    ],
  })
})

test('CSV has a row for each innermost group and a column for each currency', async () => {
  const cli = await createExpenseCli()
  const { stdout } = await cli.run('expenses', 'report', '--by', 'quarter,type', '--csv')
  expect(stdout.replaceAll('\r', '')).toMatchInlineSnapshot(`
    "quarter,type,count,amount_eur,amount_jpy,amount_usd,type_id
    2024-Q1,設計,1,,1500,,3
    2024-Q2,Meals,2,19.505,,,2
    2024-Q2,Travel,2,48.90,,20.00,1
    "
  `)
})

describe('the filter', () => {
  test.each<[string, number]>([
    ['', 5],
    ['month', 3],
    ['--since april --until 2024-05-02', 2],
    ['last year', 0],
    ['all', 5],
    ['--type travel --type meals', 4],
    ['--type !1 --type !meals', 1],
    ['--project website', 2],
    ['--project !website --type meals', 1],
    ['--where amount_lt=10', 1],
  ])('%s selects %i expenses for the report and the list', async (filter, count) => {
    const cli = await createExpenseCli()
    const words = splitCommandLine(filter)
    expect(await cli.json('expenses', 'report', ...words)).toMatchObject({ count })
    expect(await cli.json<Row[]>('expenses', 'list', ...words)).toHaveLength(count)
  })

  test.each<[string, string]>([
    ['--by weekday', 'Unknown group "weekday"'],
    ['--by type,type', 'Repeated group "type"'],
    ['--type !nonesuch', '"nonesuch" matches no expense type'],
    ['--type travel --type !1', 'The type filter both includes and excludes Travel'],
  ])('%s is rejected', async (options, message) => {
    const cli = await createExpenseCli()
    const rejected = await cli.run('expenses', 'report', ...splitCommandLine(options))
    expect(rejected).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
  })
})

test('an archived type is shown by its ID, separate from expenses without a type', async () => {
  const cli = await createExpenseCli()
  await cli.json('expenses', 'add', '1')
  await cli.json('admin', 'expense-types', 'archive', 'Travel')
  const { groups } = await cli.json<{ groups: Row[] }>('expenses', 'report', 'yesterday')
  expect(groups).toMatchObject([{ key: null, id: 1, count: 1 }])
  expect((await cli.runInTerminal(80, 'expenses', 'report')).stdout).toMatch(/^no type .*\n(.*\n)*type 1 /m)
})

test('a report without expenses prints a message in a terminal', async () => {
  const cli = await createExpenseCli()
  const emptyReport = ['expenses', 'report', '--since', '2030-01-01']
  expect(await cli.json(...emptyReport)).toMatchObject({ count: 0, amounts: [], groups: [] })
  expect(await cli.runInTerminal(80, ...emptyReport)).toMatchObject({
    status: 0,
    stdout: '',
    stderr: 'No expenses. `tt expenses add 12.50` adds one.\n',
  })
})
