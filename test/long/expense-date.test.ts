import { describe, expect, test } from 'vitest'
import type { ExpenseDate } from '../support/foreign-service.js'
import { type ForeignServiceSetup, runAt, setUpForeignService } from '../support/foreign-service-setup.js'
import { dropRequest, dropResponse, noFault, respondToChanges } from '../support/proxy.js'
import { share } from '../support/share.js'

type Row = Record<string, unknown>

const services = share<[string, ExpenseDate]>('date fields of expenses', [
  ['names it in a 422', { name: 'expense_date', missing: 'named', filters: 'rejected' }],
  ['ignores unknown fields', { name: 'date', missing: 'ignored', filters: 'ignored' }],
  [
    'ignores unknown fields and rejects unknown filters',
    { name: 'date', missing: 'ignored', filters: 'rejected' },
  ],
  [
    'ignores unknown fields and crashes on unknown filters',
    { name: 'date', missing: 'ignored', filters: 'failing' },
  ],
  ['rejects every filter by it', { name: 'incurred_on', missing: 'named', filters: 'none' }],
  ['writes names in camel case', { name: 'expenseDate', missing: 'named', filters: 'ignored' }],
])

/** Returns date, amount and notes of the expenses at the service, oldest first. */
async function readExpenses({ expenses }: ForeignServiceSetup): Promise<string[]> {
  const rows = await expenses()
  return rows.map(({ spent_on: day, amount, notes }) => `${day} ${Number(amount)} ${notes}`)
}

describe.each(services)('with a service that has another date field and %s', (_, expenseDate) => {
  const { name } = expenseDate
  const setUp = () => setUpForeignService({ expenseDate })

  test('adds, shows, groups and filters by the date', async () => {
    const setup = await setUp()
    const { cli } = setup
    const add = ['expenses', 'add', '12.50', '--type', 'Travel', '--on', '2024-05-01', '-n', 'train']
    expect(await runAt(cli, '08:00:00', ...add)).toBe('Added expense 1: 12.50 EUR, Travel, 2024-05-01.\n')
    await runAt(cli, '08:01:00', 'expenses', 'add', '5', '--on', '2024-06-02', '-n', 'tea')
    await runAt(cli, '08:02:00', 'expenses', 'add', '--amount', '7', '-n', 'taxi')
    expect(await readExpenses(setup)).toEqual([
      '2024-05-01 12.5 train',
      '2024-05-08 7 taxi',
      '2024-06-02 5 tea',
    ])

    const rows = await cli.json<Row[]>('expenses')
    expect(rows.map((row) => [row.spent_on, row[name]])).toEqual([
      ['2024-05-01', '2024-05-01'],
      ['2024-05-08', '2024-05-08'],
      ['2024-06-02', '2024-06-02'],
    ])
    expect((await cli.runInTerminal(80, 'expenses')).stdout).toContain('2024-05-01   12.50')
    const report = await cli.json<{ groups: Row[] }>('expenses', 'report', '--by', 'month')
    expect(report.groups.map(({ key, count }) => [key, count])).toEqual([
      ['2024-05', 2],
      ['2024-06', 1],
    ])
    const notes = async (...options: string[]) =>
      (await cli.json<Row[]>('expenses', ...options)).map((row) => row.notes)
    expect(await notes('--since', '2024-05-08')).toEqual(['taxi', 'tea'])
    expect(await notes('--until', '2024-05-07')).toEqual(['train'])
    expect(await notes('--where', 'spent_on_eq=2024-06-02')).toEqual(['tea'])
    expect(await notes('--where', `${name}_lt=2024-05-08`)).toEqual(['train'])
  })

  test('filters in the first request of a profile', async () => {
    const setup = await setUp()
    await runAt(setup.otherCli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-06-02', '-n', 'tea')
    await runAt(setup.otherCli, '08:01:00', 'expenses', 'add', '7', '--on', '2024-05-02', '-n', 'taxi')
    const rows = await setup.cli.json<Row[]>('expenses', '--since', '2024-06-01')
    expect(rows).toMatchObject([{ spent_on: '2024-06-02', notes: 'tea' }])
  })

  test('changes the date, and undoes that and a deletion', async () => {
    const setup = await setUp()
    const { cli } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '12.50', '--on', '2024-05-02', '-n', 'train')
    expect(await runAt(cli, '08:01:00', 'expenses', 'edit', '1', '--on', '2024-05-03')).toBe(
      'Changed expense 1: 12.50 EUR, 2024-05-03.\n',
    )
    expect(await readExpenses(setup)).toEqual(['2024-05-03 12.5 train'])
    await runAt(cli, '08:02:00', 'expenses', 'edit', '1', '--field', `${name}=2024-05-04`)
    expect(await readExpenses(setup)).toEqual(['2024-05-04 12.5 train'])
    await runAt(cli, '08:03:00', 'undo')
    await runAt(cli, '08:04:00', 'undo')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 12.5 train'])
    await runAt(cli, '08:05:00', 'expenses', 'rm', '1', '--yes')
    await runAt(cli, '08:06:00', 'undo')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 12.5 train'])
  })

  test('delivers changes that were queued before the name was known', async () => {
    const setup = await setUp()
    const { cli, proxy } = setup
    proxy.fault = dropRequest
    await runAt(cli, '08:00:00', 'expenses', 'add', '12.50', '--on', '2024-05-02', '-n', 'train')
    await runAt(cli, '08:01:00', 'expenses', 'add', '5', '--on', '2024-05-03', '-n', 'tea')
    await runAt(cli, '08:02:00', 'expenses', 'edit', '~2', '--on', '2024-05-04')
    proxy.fault = noFault
    expect(await runAt(cli, '08:03:00', 'sync')).toBe('Sent 2 changes.\n')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 12.5 train', '2024-05-04 5 tea'])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('delivers an offline change of the date, and reports one made elsewhere as a conflict', async () => {
    const setup = await setUp()
    const { cli, proxy, otherCli } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '12.50', '--on', '2024-05-02', '-n', 'train')
    proxy.fault = dropRequest
    await runAt(cli, '08:01:00', 'expenses', 'edit', '1', '--on', '2024-05-03')
    expect(await cli.json<Row[]>('expenses')).toMatchObject([{ spent_on: '2024-05-03', pending: true }])
    proxy.fault = noFault
    await runAt(cli, '08:02:00', 'sync')
    expect(await readExpenses(setup)).toEqual(['2024-05-03 12.5 train'])
    proxy.fault = dropRequest
    await runAt(cli, '08:03:00', 'expenses', 'edit', '1', '--on', '2024-05-04')
    await runAt(otherCli, '08:04:00', 'expenses', 'edit', '1', '--on', '2024-05-05')
    proxy.fault = noFault
    cli.setTime('2024-05-08T08:05:00')
    expect((await cli.run('sync')).status).toBe(7)
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'conflict', message: /2024-05-05/ }])
    expect(await readExpenses(setup)).toEqual(['2024-05-05 12.5 train'])
    await runAt(cli, '08:06:00', 'sync', 'retry', '~1')
    expect(await readExpenses(setup)).toEqual(['2024-05-04 12.5 train'])
  })

  test('finds a create whose response was lost, whether the name was known or not', async () => {
    const setup = await setUp()
    const { cli, proxy } = setup
    for (const [time, amount] of [
      ['08:00:00', '5'],
      ['08:10:00', '6'],
    ] as const) {
      proxy.fault = dropResponse
      await runAt(cli, time, 'expenses', 'add', amount, '--on', '2024-05-02', '-n', 'tea')
      proxy.fault = noFault
      await runAt(cli, time.replace(':00:', ':05:'), 'sync')
    }
    expect(await cli.json('sync', 'list')).toEqual([])
    expect((await readExpenses(setup)).map((text) => text.split(' ')[1]).sort()).toEqual(['5', '6'])
  })

  test('does not take an earlier expense with the same amount and notes for a lost create', async () => {
    const setup = await setUp()
    const { cli, proxy, otherCli } = setup
    // Another client has learned the name; this one knows neither the name nor the expense.
    await runAt(otherCli, '07:00:00', 'expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    await runAt(otherCli, '07:01:00', 'expenses', 'edit', '1', '--on', '2024-05-01')
    proxy.fault = dropRequest
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-03', '-n', 'tea')
    proxy.fault = noFault
    await runAt(cli, '08:05:00', 'sync')
    expect(await readExpenses(setup)).toEqual(['2024-05-01 5 tea', '2024-05-03 5 tea'])
  })
})

describe('the name of the date field', () => {
  const setUp = (expenseDate: ExpenseDate) => setUpForeignService({ expenseDate })

  test('is taken from --field, also without the service', async () => {
    const setup = await setUp({ name: 'buchungstag', missing: 'named', filters: 'rejected' })
    const { cli, proxy } = setup
    await runAt(cli, '08:00:00', 'expenses', 'types')
    proxy.fault = dropRequest
    await runAt(cli, '08:01:00', 'expenses', 'add', '5', '--field', 'buchungstag=2024-05-02', '-n', 'tea')
    proxy.fault = noFault
    await runAt(cli, '08:02:00', 'sync')
    await runAt(cli, '08:03:00', 'expenses', 'add', '6', '--on', '2024-05-03', '-n', 'train')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 5 tea', '2024-05-03 6 train'])
  })

  test('is not taken from --field where the service uses spent_on', async () => {
    const setup = await setUpForeignService()
    const { cli } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--field', 'date=2024-05-02', '-n', 'tea')
    const add = ['expenses', 'add', '6', '--field', 'date=2024-05-02', '-n', 'train']
    const added = await runAt(cli, '08:01:00', ...add)
    expect(added).toContain('did not store expense 2 as it was sent: date is missing (sent: 2024-05-02)')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 5 tea', '2024-05-08 6 train'])
  })

  test('is given with --on or --field, but not differently with both', async () => {
    const { cli } = await setUp({ name: 'date', missing: 'named', filters: 'ignored' })
    await runAt(cli, '08:00:00', 'expenses', 'add', '5')
    const add = (...options: string[]) =>
      cli.run('expenses', 'add', '5', '--field', 'date=2024-05-02', ...options)
    expect(await add('--on', '2024-05-03')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The expense has two dates: 2024-05-03 and 2024-05-02.'),
    })
    expect((await add('--on', '2024-05-02')).status).toBe(0)
  })

  test('is named in the hint where it cannot be learned, and --field sets it', async () => {
    const setup = await setUp({ name: 'wann', missing: 'named', filters: 'rejected' })
    const { cli } = setup
    const rejected = await cli.run('expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    expect(rejected).toMatchObject({ status: 7, stderr: expect.stringContaining("wann can't be blank") })
    expect(rejected.stderr).toContain('`tt expenses edit ~1 --field NAME=VALUE`')
    await runAt(cli, '08:01:00', 'expenses', 'edit', '~1', '--field', 'wann=2024-05-02')
    await runAt(cli, '08:02:00', 'sync')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 5 tea'])
    expect(await cli.json<Row[]>('expenses')).toMatchObject([{ spent_on: '2024-05-02', wann: '2024-05-02' }])
  })

  test('is filtered by on this machine, without another request, once the service has rejected that', async () => {
    const setup = await setUp({ name: 'date', missing: 'named', filters: 'none' })
    const { cli, service } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    const requests = async () => {
      const before = service.requests.length
      expect(await cli.json<Row[]>('expenses', '--since', '2024-05-02')).toHaveLength(1)
      return service.requests.slice(before).filter((request) => request === 'GET /expenses').length
    }
    expect([await requests(), await requests()]).toEqual([2, 1])
  })

  test('is learned again when the service changes it', async () => {
    const setup = await setUp({ name: 'date', missing: 'named', filters: 'rejected' })
    const { cli, service } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    service.variant = {}
    await runAt(cli, '08:01:00', 'expenses', 'add', '6', '--on', '2024-05-03', '-n', 'train')
    expect(await cli.json<Row[]>('expenses', '--since', '2024-05-03')).toMatchObject([{ notes: 'train' }])
    expect(await readExpenses(setup)).toEqual(['2024-05-02 5 tea', '2024-05-03 6 train'])
  })
})

describe('fields that the service does not store as they were sent', () => {
  test('are warned about, decimals compared by value', async () => {
    const { cli } = await setUpForeignService({ trimsAmounts: true })
    const add = ['expenses', 'add', '12.50', '-n', 'tea', '--field', 'billable:=true', '--field', 'km=3']
    expect(await runAt(cli, '08:00:00', ...add)).toBe(
      'Added expense 1: 12.5 EUR, 2024-05-08.\n' +
        'The service did not store expense 1 as it was sent: billable is missing (sent: true); km is missing (sent: 3).' +
        ' If the service uses another name for the field, run `tt expenses edit 1 --field NAME=VALUE`.\n',
    )
    expect(await runAt(cli, '08:01:00', 'expenses', 'edit', '1', '--amount', '12.500')).toBe(
      'Changed expense 1: 12.5 EUR, 2024-05-08.\n',
    )
  })

  test('are warned about when a queued change is delivered', async () => {
    const { cli, proxy } = await setUpForeignService()
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '-n', 'tea')
    proxy.fault = dropRequest
    await runAt(cli, '08:01:00', 'expenses', 'add', '6', '--field', 'vat=19')
    await runAt(cli, '08:02:00', 'expenses', 'edit', '1', '--field', 'vat=7')
    proxy.fault = noFault
    const words = await runAt(cli, '08:03:00', 'sync')
    expect(words).toContain('expense 2 as it was sent: vat is missing (sent: 19)')
  })

  test('include a date that is not sent again after a lost response', async () => {
    const expenseDate: ExpenseDate = { name: 'date', missing: 'ignored', filters: 'rejected' }
    const { cli, proxy } = await setUpForeignService({ expenseDate })
    proxy.fault = dropResponse
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-02')
    proxy.fault = noFault
    expect(await runAt(cli, '08:01:00', 'sync')).toContain(
      'date is 2024-05-08 (sent: 2024-05-02). Run `tt expenses edit 1 --on 2024-05-02` to send the date again.',
    )
  })
})

describe('a service whose expenses have fields of its own', () => {
  test('does not receive them when a deletion is undone, redone and undone again', async () => {
    const setup = await setUpForeignService({ readOnlyFields: { user_id: 7, state: 'draft' } })
    const { cli } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    expect(await cli.json<Row[]>('expenses')).toMatchObject([{ user_id: 7, state: 'draft' }])
    await runAt(cli, '08:01:00', 'expenses', 'rm', '1', '--yes')
    await runAt(cli, '08:02:00', 'undo')
    await runAt(cli, '08:03:00', 'redo')
    await runAt(cli, '08:04:00', 'undo')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 5 tea'])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('does not receive them when a change of a deleted expense is retried', async () => {
    const setup = await setUpForeignService({ readOnlyFields: { user_id: 7 } })
    const { cli, proxy, otherCli } = setup
    await runAt(cli, '08:00:00', 'expenses', 'add', '5', '--on', '2024-05-02', '-n', 'tea')
    proxy.fault = dropRequest
    await runAt(cli, '08:01:00', 'expenses', 'edit', '1', '--amount', '6')
    await runAt(otherCli, '08:02:00', 'expenses', 'rm', '1', '--yes')
    proxy.fault = noFault
    expect((await cli.run('sync')).status).toBe(7)
    await runAt(cli, '08:03:00', 'sync', 'retry', '1')
    expect(await readExpenses(setup)).toEqual(['2024-05-02 6 tea'])
  })
})

describe('a rejected expense', () => {
  test('has a hint with the command that corrects it', async () => {
    const { cli } = await setUpForeignService()
    const { status, stderr } = await cli.run('expenses', 'add', '5', '--field', 'currency=euros')
    expect(status).toBe(7)
    expect(stderr).toContain('Run `tt expenses edit ~1` to correct it')
    expect(stderr).not.toContain('`tt edit ')
    await runAt(cli, '08:01:00', 'expenses', 'edit', '~1', '--currency', 'EUR')
    expect(await cli.json<Row[]>('expenses')).toMatchObject([{ currency: 'EUR', pending: false }])
  })

  test.each([
    ['', 'error: The service rejected the request (400).\n'],
    ['{"error":"bad amount"}', 'error: The service rejected the change (400): bad amount.\n'],
  ])('reports the status once when the body is %j', async (body, message) => {
    const { cli, proxy } = await setUpForeignService()
    proxy.fault = respondToChanges(400, body)
    const { stderr } = await cli.run('expenses', 'add', '5')
    expect(stderr).toContain(message)
    expect(stderr.match(/400/g)).toHaveLength(1)
  })
})
