import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreatedInvoiceJson, InvoiceJson, ShownInvoiceJson } from '../../src/records/shapes/invoices.js'
import { readRows } from '../support/database-files.js'
import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const time = '2024-06-03T09:00:00'
const settings = {
  ...{ 'rate.Acme': '95 EUR', 'invoice.sender.name': 'Ada Lovelace' },
  ...{ 'invoice.tax': '19', 'invoice.due': '14' },
}

/** Replaces the settings by those of all tests and these; undefined unsets one. */
function configure({ home }: TestCli, more: Record<string, string | undefined> = {}) {
  writeFileSync(join(home, 'config.json'), JSON.stringify({ ...settings, ...more }))
}

async function prepareEntries(cli: TestCli) {
  configure(cli)
  const add = (task: string, ...words: string[]) => cli.run('add', task, ...words)
  await add('Acme/Website/Design', '2024-05-06', '9:00-11:30', '-n', 'Header #logo') // 1
  await add('Acme/Website/Design', '2024-05-07', '9:00-12:13') // 2
  await add('Acme/Website/Review', '2024-05-08', '9:00-9:10') // 3
  await add('Acme/App/Design', '2024-03-05', '9:00-10:00') // 4
  await add('Other/Site/Design', '2024-05-09', '9:00-10:00') // 5
  await cli.run(...'expenses add 48.90 EUR --type Travel --project Website --on 2024-05-08'.split(' '))
}

const createInvoiceCli = preparedCli(time, prepareEntries)

/** Writes an invoice of May as JSON. */
const write = (cli: TestCli, ...options: string[]) =>
  cli.json<CreatedInvoiceJson>('invoice', 'Acme', '--yes', '-o', 'invoice.json', ...options)

/** Creates a `TestCli` with an invoice of May. */
const createInvoicedCli = preparedCli(time, async (cli) => {
  await prepareEntries(cli)
  await write(cli)
})

/** Imports an entry of an hour with the ID 7 of its source, or until another end; it gets the ID 6. */
function importEntry(cli: TestCli, { end = '10:00', options = ['--yes'] } = {}) {
  const file = join(cli.home, 'times.csv')
  writeFileSync(
    file,
    `client,project,task,start,end,id\nAcme,Website,Design,2024-05-21 09:00,2024-05-21 ${end},7\n`,
  )
  return cli.run('import', file, ...options)
}

const numbersOf = async (cli: TestCli, ...options: string[]) =>
  (await cli.json<Row[]>('log', '2024', ...options)).map(({ id, invoice }) => `${id} ${invoice}`)

describe('tt invoice', () => {
  test('bills the entries and expenses of the last month, and writes a file for the client', {
    tags: 'slow',
  }, async () => {
    const cli = await createInvoiceCli()
    const invoice = await write(cli)
    // For the client, without IDs and times of entries.
    const file = JSON.parse(readFileSync(join(cli.home, 'invoice.json'), 'utf8'))
    expect(file).toMatchObject({ number: '2024-001', total: '724.06' })
    expect(file).not.toHaveProperty('entries')
    expect(JSON.stringify(file)).not.toMatch(/T09:00|Header/)
    expect(invoice).toMatchObject({
      ...{ kind: 'invoice', number: '2024-001', status: 'issued', date: '2024-06-03', due: '2024-06-17' },
      ...{ since: '2024-05-01', until: '2024-05-31', client: 'Acme', currency: 'EUR' },
      lines: [
        { description: 'Website / Design', hours: '5.72', rate: '95.00', amount: '543.40' },
        { description: 'Website / Review', hours: '0.17', rate: '95.00', amount: '16.15' },
      ],
      expenses: [{ date: '2024-05-08', description: 'Travel', amount: '48.90' }],
      ...{ net: '608.45', tax: '115.61', total: '724.06' },
      left_out: [
        { reason: 'earlier', kind: 'entry', count: 1, amounts: [{ currency: 'EUR', amount: '95.00' }] },
      ],
      file: join(cli.home, 'invoice.json'),
    })
    expect(await numbersOf(cli)).toEqual(['4 null', '1 2024-001', '2 2024-001', '3 2024-001', '5 null'])
    expect(await numbersOf(cli, '--invoiced')).toHaveLength(3)
    expect(await numbersOf(cli, '--uninvoiced')).toEqual(['4 null', '5 null'])
    expect(await cli.json('expenses', '--uninvoiced')).toEqual([])
    expect(await cli.json('expenses', '--invoiced')).toMatchObject([{ invoice: '2024-001' }])
    expect((await cli.run('invoice', 'Acme', '--yes')).status).toBe(3)
  })

  test('bills earlier time with --earlier, and without it since the last invoice', async () => {
    const cli = await createInvoiceCli()
    expect((await write(cli, '--earlier')).lines.map(({ description }) => description)).toEqual([
      ...['App / Design', 'Website / Design', 'Website / Review'],
    ])
    cli.setTime('2024-09-02T09:00:00')
    await cli.run('add', 'Acme/Website/Design', '2024-06-10', '9:00-10:00')
    await cli.run('add', 'Acme/Website/Design', '2024-05-30', '9:00-10:00')
    const invoice = await write(cli, '--number', 'X-1')
    expect(invoice).toMatchObject({ lines: [{ hours: '1.00' }], left_out: [{ reason: 'earlier', count: 1 }] })
    expect(invoice.entries.map(({ id }) => id)).toEqual([6])
  })

  test('names the sum of earlier entries as one invoice would have it', async () => {
    const cli = await createInvoiceCli()
    for (const hour of ['10', '11', '12'])
      await cli.run('add', 'Acme/App/Design', '2024-03-06', `${hour}:00-${hour}:10`)
    // 1h 30m at 95, not 1h and three times 0.17h.
    expect((await write(cli)).left_out).toMatchObject([
      { reason: 'earlier', count: 4, seconds: 5400, amounts: [{ currency: 'EUR', amount: '142.50' }] },
    ])
  })

  test('names the rounded sum of earlier entries, and earlier entries without a rate', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'rate.Acme': undefined, 'rate.Acme/Website': '95 EUR' })
    for (const hour of ['10', '11'])
      await cli.run('add', 'Acme/Website/Design', '2024-03-06', `${hour}:00-${hour}:07`)
    expect((await write(cli, '--round', '15m:up')).left_out).toEqual([
      { reason: 'no_rate', kind: 'entry', count: 1, seconds: 3600, amounts: [] },
      {
        ...{ reason: 'earlier', kind: 'entry', count: 2, seconds: 1800 },
        amounts: [{ currency: 'EUR', amount: '47.50' }],
      },
    ])
  })

  test('names what is left out, and why', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'rate.Acme/Website/Review': '80 USD', 'rate.Acme/Website/Free': 'none' })
    await cli.run('add', 'Acme/Website/Free', '2024-05-09', '13:00-14:00')
    await cli.run('start', 'Acme/Website/Design', '--at', '2024-05-31 23:00')
    await cli.run('expenses', 'add', '5', 'USD', '--project', 'Website', '--on', '2024-05-09')
    await cli.run('expenses', 'add', '7', 'EUR', '--project', 'Website', '--on', '2024-03-05')
    const { left_out: leftOut } = await write(cli, '--currency', 'EUR')
    expect(leftOut.map(({ reason, kind, count }) => `${count} ${kind} ${reason}`).sort()).toEqual([
      ...[
        '1 entry currency',
        '1 entry earlier',
        '1 entry not_billable',
        '1 entry running',
        '1 expense currency',
        '1 expense earlier',
      ],
    ])
  })

  test('needs --currency for rates in several currencies', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'rate.Acme/Website/Review': '80 USD' })
    const { status, stderr } = await cli.run('invoice', 'Acme', '--yes')
    expect(status).toBe(2)
    expect(stderr).toContain('Acme has entries or expenses in EUR, USD.')
    expect(await write(cli, '--currency', 'usd')).toMatchObject({
      lines: [{ amount: '13.60' }],
      currency: 'USD',
    })
  })

  test('asks before it records, and records nothing without a confirmation', async () => {
    const cli = await createInvoiceCli()
    const { status, stderr } = await cli.run('invoice', 'Acme')
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Add --yes to confirm.'),
    })
    for (const text of ['Website / Design', '5.72 h × 95.00', '543.40', '724.06', 'add --earlier'])
      expect(stderr).toContain(text)
    expect(await cli.json('invoice', 'list')).toEqual([])
    expect(existsSync(join(cli.home, 'invoice-numbers.json'))).toBe(false)
  })

  test('--dry-run writes a draft and records nothing', async () => {
    const cli = await createInvoiceCli()
    const draft = await cli.json('invoice', 'Acme', '--dry-run', '-o', 'draft.html')
    expect(draft).toMatchObject({ number: null, status: 'draft', total: '724.06' })
    expect(readFileSync(join(cli.home, 'draft.html'), 'utf8')).toContain('>Draft</p>')
    expect(await cli.json('invoice', 'list')).toEqual([])
    expect(await numbersOf(cli, '--invoiced')).toEqual([])
    expect(existsSync(join(cli.home, 'invoice-numbers.json'))).toBe(false)
  })

  test('rounds by the settings of reports, unless --round is given', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'round.Acme': '15m:up', 'round.Acme/Website/Review': '1h:up' })
    const lines = async (...options: string[]) => {
      const argv = ['invoice', 'Acme', '--dry-run', '--by', 'task', '-o', 'draft.json', '--yes', ...options]
      const { lines } = await cli.json<CreatedInvoiceJson>(...argv)
      return lines.map(({ description, hours, amount }) => `${description} ${hours} ${amount}`)
    }
    expect(await lines()).toEqual(['Design 5.75 546.25', 'Review 1.00 95.00'])
    expect(await lines('--round', '30m:up')).toEqual(['Design 6.00 570.00', 'Review 0.50 47.50'])
    expect(await lines('--round', 'none')).toEqual(['Design 5.72 543.40', 'Review 0.17 16.15'])
  })

  test('has no tags and no notes, except in an annex of entries, where tags are words', async () => {
    const cli = await createInvoiceCli()
    await cli.run('invoice', 'Acme', '--dry-run', '--annex', 'days', '-o', 'days.html')
    await cli.run('invoice', 'Acme', '--dry-run', '--annex', 'entries', '-o', 'entries.html')
    const [days, entries] = ['days', 'entries'].map((name) =>
      readFileSync(join(cli.home, `${name}.html`), 'utf8'),
    )
    expect(days).not.toMatch(/Header|logo</)
    expect(entries).toContain('Header logo')
    expect(entries).not.toContain('#logo')
    expect(`${days}${entries}`).not.toContain('09:00')
  })

  test('records nothing with invalid arguments', async () => {
    const cli = await createInvoiceCli()
    for (const [argv, status, message] of [
      [['invoice'], 2, 'Missing required argument "client"'],
      [['invoice', 'Missing'], 2, '"Missing" matches no client'],
      [['invoice', 'Acme', '--by', 'tag'], 2, 'Unknown group "tag"'],
      [['invoice', 'Acme', '--annex', 'all'], 2, '--annex: "all" is not one of none, days and entries'],
      [['invoice', 'Acme', '--currency', 'XXY'], 2, 'is not a currency code'],
      [['invoice', 'Acme', '-o', 'x.txt'], 2, 'the extension must be .pdf, .html or .json'],
      [['invoice', 'Acme', '2024-01'], 3, 'There is nothing to invoice for Acme'],
      [['invoice', 'show', '7'], 3, 'There is no invoice 7'],
      [['invoice', '--setup'], 2, 'Cannot prompt'],
    ] as const)
      expect(await cli.run(...argv)).toMatchObject({ status, stderr: expect.stringContaining(message) })
    expect(await cli.json('invoice', 'list')).toEqual([])
  })

  test('names the missing setting, and rejects a tax in a category without tax', async () => {
    const cli = await createInvoiceCli()
    const without = { 'invoice.sender.name': undefined, 'invoice.tax': undefined }
    for (const [more, missing] of [
      [without, 'invoice.sender.name'],
      [{ ...without, 'invoice.sender.name': 'Ada' }, 'invoice.tax'],
      [{ 'invoice.tax': '0' }, 'invoice.tax_category'],
    ] as const) {
      configure(cli, more)
      expect(await cli.run('invoice', 'Acme', '--yes')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`The setting ${missing} is missing.`),
      })
    }
    configure(cli, { 'invoice.tax_category': 'exempt' })
    expect((await cli.run('invoice', 'Acme', '--yes')).stderr).toContain('contradict each other')
  })

  test('the terms of a client come before those of the user', async () => {
    const cli = await createInvoiceCli()
    configure(cli, {
      ...{ 'client.acme.name': 'Acme GmbH', 'client.acme.country': 'DE', 'client.acme.vat_id': 'DE123' },
      ...{ 'client.acme.tax': '0', 'client.acme.tax_category': 'reverse_charge' },
      ...{ 'client.acme.reference': 'PO-7', 'client.acme.locale': 'de', 'client.acme.due': '30' },
    })
    expect(await write(cli)).toMatchObject({
      ...{ client: 'Acme', recipient: { name: 'Acme GmbH', country: 'DE', vat_id: 'DE123' } },
      ...{ reference: 'PO-7', locale: 'de', due: '2024-07-03', tax: '0.00', total: '608.45' },
      taxes: [{ tax_category: 'reverse_charge', tax_percent: '0', net: '608.45', tax: '0.00' }],
    })
  })
})

test('without Chromium, the file is HTML with the number and the client as its name', async () => {
  const cli = await createInvoiceCli()
  cli.env.PATH = cli.home
  configure(cli, { 'client.Acme.name': 'Acme/../GmbH' })
  const { status, stderr } = await cli.run('invoice', 'Acme', '--yes')
  expect(status).toBe(0)
  expect(stderr).toContain('Chromium or Chrome was not found: the document is HTML.')
  expect(stderr).toContain(`Wrote ${join(cli.home, '2024-001 Acme.html')}.`)
  expect(readFileSync(join(cli.home, '2024-001 Acme.html'), 'utf8')).toContain('Acme/../GmbH')
})

test('completes clients, options and numbers', async () => {
  const cli = await createInvoicedCli()
  const complete = async (...words: string[]) => (await cli.run('__complete', '--', ...words)).stdout
  expect(await complete('invoice', 'Ac')).toContain('Acme')
  expect(await complete('invoice', 'void', '')).toContain('2024-001')
  expect(await complete('invoice', '--annex', '')).toContain('entries')
  expect(await complete('invoice', '')).toContain('list')
})

describe('numbers', () => {
  test('never go back, whatever happens to invoices, and are refused when they are taken', async () => {
    const cli = await createInvoiceCli()
    expect((await write(cli)).number).toBe('2024-001')
    await cli.run('undo', '--yes')
    expect((await write(cli, '--number', '2024-007', '--yes')).number).toBe('2024-007')
    await cli.run('invoice', 'void', '2024-007', '--yes', '-o', 'void.json')
    const { status, stderr } = await cli.run('invoice', 'Acme', '--yes', '--number', '2024-001')
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('is taken') })
    expect((await write(cli)).number).toBe('2024-004')
    expect(
      (await cli.json<InvoiceJson[]>('invoice', 'list')).map(({ number, status }) => [number, status]),
    ).toEqual([
      ['2024-001', 'void'],
      ['2024-002', 'issued'],
      ['2024-007', 'void'],
      ['2024-003', 'issued'],
      ['2024-004', 'issued'],
    ])
  })

  test('stay taken after a restore', { tags: 'slow' }, async () => {
    const cli = await createInvoiceCli()
    await cli.run('backup', 'before.tar.gz')
    await write(cli)
    expect((await cli.run('restore', 'before.tar.gz', '--yes')).stderr).not.toContain('error')
    // The restore takes no invoice away.
    expect(await cli.json('invoice', 'list')).toMatchObject([{ number: '2024-001' }])
    expect(await numbersOf(cli, '--invoiced')).toHaveLength(3)
    await cli.run('add', 'Acme/Website/Design', '2024-05-20', '9:00-10:00')
    expect((await write(cli)).number).toBe('2024-002')
  })

  test('a restore does not change what can be undone, except for invoices that were voided since', {
    tags: 'slow',
  }, async () => {
    const cli = await createInvoiceCli()
    await cli.run('backup', 'without.tar.gz')
    const without = await cli.json('undo', '--list')
    expect(without).toHaveLength(6)
    await cli.run('restore', 'without.tar.gz', '--yes')
    expect(await cli.json('undo', '--list')).toEqual(without)
    await write(cli)
    await cli.run('backup', 'with.tar.gz')
    await cli.run('restore', 'with.tar.gz', '--yes')
    expect(await cli.json('undo', '--list')).toHaveLength(7)
    await cli.run('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')
    await cli.run('restore', 'with.tar.gz', '--yes')
    expect(await cli.json('undo', '--list')).toEqual(without)
    expect(await numbersOf(cli, '--invoiced')).toEqual([])
    expect(await cli.json('invoice', 'list')).toMatchObject([{ status: 'void' }, { cancels: '2024-001' }])
  })

  test('follow the pattern and begin after those of another program', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'invoice.number': 'R{year}/{n:4}', 'invoice.start': 'R2024/0042' })
    expect((await write(cli)).number).toBe('R2024/0042')
    await cli.run('add', 'Acme/Website/Design', '2024-05-20', '9:00-10:00')
    expect((await write(cli, '--date', '2025-01-02')).number).toBe('R2025/0001')
    expect((await cli.run('config', 'set', 'invoice.number', '{year}')).status).toBe(2)
    expect((await cli.run('config', 'set', 'invoice.start', '9')).status).toBe(2)
  })

  test('are known to the profile even without the file of the machine', async () => {
    const cli = await createInvoicedCli()
    writeFileSync(join(cli.home, 'invoice-numbers.json'), '{"numbers": {}}')
    await cli.run('add', 'Acme/Website/Design', '2024-05-20', '9:00-10:00')
    expect((await write(cli)).number).toBe('2024-002')
  })

  test('are recorded before the file is written, and the error says how to write it', async () => {
    const cli = await createInvoiceCli()
    // No file can have a name of 300 letters.
    const { status, stderr } = await cli.run('invoice', 'Acme', '--yes', '-o', `${'x'.repeat(300)}.json`)
    expect(status).toBe(1)
    expect(stderr).toContain('Invoice 2024-001 is recorded, but its file was not written.')
    expect(stderr).toContain('To write it, run: tt invoice open 2024-001 -o FILE.pdf')
    expect(await cli.json('invoice', 'list')).toMatchObject([{ number: '2024-001', total: '724.06' }])
    expect(await cli.run('invoice', 'open', '2024-001', '-o', 'again.json')).toMatchObject({ status: 0 })
    expect(JSON.parse(readFileSync(join(cli.home, 'again.json'), 'utf8'))).toMatchObject({ total: '724.06' })
  })
})

test('tt invoice show compares the invoice with the entries of today', { tags: 'slow' }, async () => {
  const cli = await createInvoicedCli()
  const changes = async () => (await cli.json<ShownInvoiceJson>('invoice', 'show', '2024-001')).changes
  expect(await changes()).toEqual([])
  await cli.run('edit', '2', '--for', '1h', '--yes')
  await cli.run('rm', '3', '--yes')
  await cli.run('expenses', 'edit', '1', '--amount', '50', '--yes')
  expect(await changes()).toEqual([
    { kind: 'entry', id: 2, change: 'changed', fields: ['time_end'] },
    { kind: 'entry', id: 3, change: 'deleted', fields: [] },
    { kind: 'expense', id: 1, change: 'changed', fields: ['amount'] },
  ])
  expect((await cli.run('invoice', 'show', '2024-001')).status).toBe(0)
  expect((await cli.runInTerminal(100, 'invoice', 'show', '2024-001')).stdout).toContain('entry 3 is deleted')
  for (let count = 0; count < 3; count++) await cli.run('undo', '--yes')
  expect(await changes()).toEqual([])
})

describe('tt invoice void', () => {
  test('keeps the number, writes a cancellation, and releases the entries', async () => {
    const cli = await createInvoiceCli()
    const before = await write(cli)
    expect(await cli.json('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')).toMatchObject({
      ...{ kind: 'cancellation', number: '2024-002', cancels: '2024-001', total: '-724.06', entries: [] },
    })
    expect(JSON.parse(readFileSync(join(cli.home, 'void.json'), 'utf8'))).toMatchObject({
      number: '2024-002',
    })
    expect(await numbersOf(cli, '--invoiced')).toEqual([])
    expect(await cli.json('invoice', 'show', '2024-001')).toMatchObject({
      ...{ status: 'void', cancelled_by: '2024-002', total: before.total },
    })
    for (const number of ['2024-001', '2024-002'])
      expect((await cli.run('invoice', 'void', number, '--yes')).status).toBe(2)
    expect(await write(cli)).toMatchObject({ number: '2024-003', total: before.total })
  })

  test('is what tt undo does, which cannot be redone', async () => {
    const cli = await createInvoicedCli()
    expect((await cli.run('undo')).stderr).toContain('Confirmation required: Void invoice 2024-001.')
    expect((await cli.run('undo', '--yes')).stderr).toContain(
      'Voided invoice 2024-001 with the cancellation 2024-002.\nTo write its file, run: tt invoice open 2024-002\n',
    )
    expect(await cli.run('invoice', 'open', '2024-002', '-o', 'void.json')).toMatchObject({ status: 0 })
    expect((await cli.run('redo')).status).toBe(3)
    const [last, ...others] = await cli.json<Row[]>('undo', '--list')
    expect([last?.what, others.length]).toEqual(['Added an expense of 48.90 EUR', 5])
  })
})

describe('what is on an invoice', () => {
  const createChangedCli = preparedCli(time, async (cli) => {
    await prepareEntries(cli)
    // Later changes, so that undo reaches entries of the invoice.
    await cli.run('edit', '2', '--for', '3h')
    await write(cli)
    await cli.run('edit', '1', '-n', 'Other notes')
  })
  const readRecords = ({ home }: TestCli) =>
    readRows(
      join(home, 'workspace.db'),
      `SELECT
         (SELECT json_group_array(json_array(id, time_start, time_end, notes, task_link_id)) FROM time_entries),
         (SELECT json_group_array(json_array(id, spent_on, amount, notes)) FROM expenses),
         (SELECT json_group_array(json_array(id, client_id, name)) FROM projects),
         (SELECT json_group_array(json_array(kind, record, invoice)) FROM invoiced)`,
    )

  test.each<[string, string[]]>([
    ['edit of the time', ['edit', '1', '--for', '1h']],
    ['edit of the task', ['edit', '1', '--task', 'App/Design']],
    ['rm', ['rm', '1']],
    ['split', ['split', '1', '--at', '2024-05-06 10:00']],
    ['join', ['join', '2', '1']],
    ['fill', ['fill', '1']],
    ['merge of projects', ['projects', 'merge', 'Website', 'App']],
    ['merge of tasks', ['tasks', 'merge', 'Website/Review', 'Website/Design']],
    ['merge of clients', ['clients', 'merge', 'Acme', 'Other']],
    ['merge by an administrator', ['admin', 'projects', 'merge', 'Website', 'App']],
    ['undo', ['undo', '5']],
    ['edit of an expense', ['expenses', 'edit', '1', '--amount', '1']],
    ['rm of an expense', ['expenses', 'rm', '1']],
  ])('is not changed by %s without a confirmation that names the invoice', async (_, argv) => {
    const cli = await createChangedCli()
    const before = await readRecords(cli)
    expect(await cli.run(...argv)).toMatchObject({ status: 2 })
    expect(await readRecords(cli)).toEqual(before)
    expect(await cli.run(...argv, '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/on invoice 2024-001|Invoice 2024-001/),
    })
    expect(await readRecords(cli)).not.toEqual(before)
  })

  test('is billed once after a split, which can be undone and redone', async () => {
    const cli = await createInvoicedCli()
    await cli.run('split', '1', '--at', '2024-05-06 10:00', '--yes')
    const invoiced = ['1 2024-001', '6 2024-001']
    expect(await numbersOf(cli, '--invoiced')).toEqual(expect.arrayContaining(invoiced))
    expect((await cli.run('invoice', 'Acme', '--yes')).status).toBe(3)
    expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await numbersOf(cli, '--invoiced')).toHaveLength(3)
    expect(await cli.run('redo', '--yes')).toMatchObject({ status: 0 })
    expect(await numbersOf(cli, '--invoiced')).toHaveLength(4)
    await cli.run('undo', '--yes')
    await cli.run('add', 'Acme/Website/Design', '2024-05-20', '9:00-10:00')
    expect((await write(cli)).lines).toMatchObject([{ hours: '1.00' }])
    await cli.run('split', '1', '--at', '2024-05-06 10:00', '--yes')
    await cli.run('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')
    expect(await numbersOf(cli, '--invoiced')).toHaveLength(1)
  })

  test('is not joined with other time without a prompt that names that time', async () => {
    const cli = await createInvoicedCli()
    await cli.run('add', 'Acme/Website/Design', '2024-05-06', '11:30-12:30')
    await cli.run('add', 'Acme/Website/Design', '2024-05-06', '8:00-9:00')
    const joined = async (...ids: string[]) => (await cli.run('join', ...ids)).stderr
    expect(await joined('1', '6')).toContain(
      '1h 00m of entry 6 is on no invoice and would be part of entry 1, which is on invoice 2024-001.',
    )
    expect(await joined('1', '7')).toContain(
      '2h 30m of entry 1 is on invoice 2024-001 and would be part of entry 7, which is on none.',
    )
  })

  test('is named with the command that voids its invoice, also for a number with a space', async () => {
    const cli = await createInvoiceCli()
    await write(cli, '--number', 'X 7')
    expect((await cli.run('edit', '1', '--for', '1h')).stderr).toContain(
      'void the invoice first: tt invoice void "X 7".',
    )
  })

  test('may get other notes', async () => {
    const cli = await createInvoicedCli()
    expect(await cli.run('tags', 'rename', 'logo', 'brand', '--yes')).toMatchObject({ status: 0 })
    expect(await cli.run('edit', '1', '-n', 'Other')).toMatchObject({ status: 0 })
    expect(await cli.run('expenses', 'edit', '1', '-n', 'Other')).toMatchObject({ status: 0 })
    expect(await cli.json<ShownInvoiceJson>('invoice', 'show', '2024-001')).toMatchObject({ changes: [] })
  })

  test('is not changed by undoing or redoing a merge without a confirmation', async () => {
    const cli = await createInvoiceCli()
    await cli.run('projects', 'merge', 'App', 'Website')
    await write(cli, '--earlier')
    await cli.run('edit', '5', '-n', 'Other')
    const before = await cli.json('log', '2024')
    // The merge is the third change; the invoice is voided before.
    expect((await cli.run('undo', '3')).status).toBe(2)
    expect(await cli.json('log', '2024')).toEqual(before)
    expect(await cli.run('undo', '3', '--yes')).toMatchObject({ status: 0 })
    expect(await cli.json('show', '4')).toMatchObject({ project: 'App', invoice: null })
    await write(cli, '--earlier')
    // The new invoice has replaced what could be redone.
    expect((await cli.run('redo', '--yes')).status).toBe(3)
  })

  test('is not deleted by undoing the import that has created it without a confirmation', async () => {
    const cli = await createInvoiceCli()
    expect(await importEntry(cli)).toMatchObject({ status: 0 })
    await write(cli)
    // Another change of the history is the invoice, which must not be the last one for this test.
    await cli.run('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')
    const again = await write(cli)
    expect(again.entries.map(({ id }) => id)).toContain(6)
    expect((await cli.run('undo', '2')).status).toBe(2)
    expect(await cli.json('show', '6')).toMatchObject({ invoice: again.number })
  })

  test('is renamed together with the settings of its client', async () => {
    const cli = await createInvoiceCli()
    configure(cli, { 'client.Acme.city': 'Berlin', 'client.Acme.tax_id': '7' })
    expect((await cli.run('clients', 'rename', 'Acme', 'Globex')).stderr).toContain('client.Globex.city')
    expect(await cli.json('config', 'get', 'client.Globex.tax_id')).toMatchObject({ value: '7' })
    expect(await cli.json('invoice', 'Globex', '--yes', '-o', 'a.json')).toMatchObject({
      recipient: { name: 'Globex', city: 'Berlin', tax_id: '7' },
    })
    await cli.run('undo', '2', '--yes')
    expect(await cli.json('config', 'get', 'client.Acme.city')).toMatchObject({ value: 'Berlin' })
  })

  test('is not imported again after it was deleted, until the invoice is void', async () => {
    const cli = await createInvoiceCli()
    const importAgain = () => importEntry(cli, { options: ['--again', '--yes'] })
    await importAgain()
    await write(cli)
    await cli.run('rm', '6', '--yes')
    expect((await importAgain()).stderr).toContain('1 deleted here, but on an invoice')
    expect(await numbersOf(cli, '--uninvoiced')).toHaveLength(2)
    await cli.run('undo', '--yes')
    expect((await importAgain()).stderr).toContain('imported earlier')
    await cli.run('rm', '6', '--yes')
    await cli.run('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')
    await importAgain()
    expect((await write(cli)).lines).toMatchObject([{ hours: '6.72' }, { hours: '0.17' }])
  })

  test('is not changed by an import, or by undoing one, without a confirmation', async () => {
    const cli = await createInvoiceCli()
    expect(await importEntry(cli)).toMatchObject({ status: 0 })
    await write(cli)
    expect(await numbersOf(cli, '--invoiced')).toContain('6 2024-001')
    const before = await cli.json('log', '2024')
    expect((await importEntry(cli, { end: '11:00', options: ['--update'] })).status).toBe(2)
    expect(await cli.json('log', '2024')).toEqual(before)
    const updated = await importEntry(cli, { end: '11:00', options: ['--update', '--yes'] })
    expect(updated).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Entry 6 is on invoice 2024-001'),
    })
    expect(await cli.json('show', '6')).toMatchObject({ duration_seconds: 7200 })
    const undone = await cli.run('undo', '--yes')
    expect(undone.stderr).toContain('Entry 6 is on invoice 2024-001')
    expect(await cli.json('show', '6')).toMatchObject({ duration_seconds: 3600 })
  })
})
