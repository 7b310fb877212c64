import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ShownInvoiceJson } from '../../src/records/shapes/invoices.js'
import { addLink } from '../../src/service/admin/administration.js'
import { callConfirmed, callTool, connectMcp, toolError } from '../support/mcp-client.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { preparedService } from './service-fixtures.js'

const settings = { rate: '95 EUR', 'invoice.sender.name': 'Ada', 'invoice.tax': '19' }
const writeSettings = ({ home }: TestCli) =>
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings))

const createEntries = preparedService(async ({ cli, storage }) => {
  await addLink(storage, { client: 'Acme', project: 'Shop', task: 'Design' })
  for (const day of ['2024-04-02', '2024-04-03'])
    expect(await cli.run('add', 'Acme/Shop/Design', day, '9:00-10:30')).toMatchObject({ status: 0 })
})

/** Sets up a service with two entries of the client Acme in April, and the settings of invoices. */
async function setUp() {
  const setup = await createEntries()
  writeSettings(setup.cli)
  return setup
}

const write = (cli: TestCli) => cli.json('invoice', 'Acme', '--yes', '-o', 'invoice.json')

const changesOf = async (cli: TestCli, number: string) =>
  (await cli.json<ShownInvoiceJson>('invoice', 'show', number)).changes

test('an invoice bills what the service has, and changes nothing there', { tags: 'slow' }, async () => {
  const { cli, takeChanges, entries } = await setUp()
  expect(await write(cli)).toMatchObject({ number: '2024-001', net: '285.00', total: '339.15' })
  expect(takeChanges()).toEqual([])
  const [first] = await entries()
  expect(await cli.json('log', '2024-04', '--invoiced')).toHaveLength(2)
  expect((await cli.run('edit', String(first?.id), '--for', '1h')).status).toBe(2)
  expect(takeChanges()).toEqual([])
  expect((await cli.run('edit', String(first?.id), '-n', 'notes')).status).toBe(0)
  expect(await changesOf(cli, '2024-001')).toEqual([])
})

test('an entry that is deleted and restored by undo stays on its invoice under its new ID', {
  tags: 'slow',
}, async () => {
  const { cli, entries } = await setUp()
  await write(cli)
  const [first] = await entries()
  expect(await cli.run('rm', String(first?.id), '--yes')).toMatchObject({ status: 0 })
  expect(await changesOf(cli, '2024-001')).toMatchObject([{ id: first?.id, change: 'deleted' }])
  expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
  const current = await entries()
  expect(current.map(({ id }) => id)).not.toContain(first?.id)
  expect(await changesOf(cli, '2024-001')).toEqual([])
  expect(await cli.json('log', '2024-04', '--uninvoiced')).toEqual([])
})

test.each(['online', 'offline'])(
  'the parts of an entry that is split %s stay on its invoice',
  { tags: 'slow' },
  async (mode) => {
    const { cli, entries, proxy } = await setUp()
    await write(cli)
    const [first] = await entries()
    if (mode === 'offline') await proxy.close()
    const cut = ['split', String(first?.id), '--at', '2024-04-02 10:00', '--yes']
    expect(await cli.run(...cut)).toMatchObject({ status: 0 })
    expect(await cli.json('log', '2024-04', '--uninvoiced')).toEqual([])
    if (mode === 'offline') await proxy.open()
    await cli.run('sync', '--wait')
    expect(await entries()).toHaveLength(3)
    expect(await cli.json('log', '2024-04', '--invoiced')).toHaveLength(3)
    expect((await cli.run('invoice', 'Acme', '--yes')).status).toBe(3)
  },
)

test('show finds what another client has changed', async () => {
  const { cli, entries, sendAsOtherClient } = await setUp()
  await write(cli)
  const [first, second] = await entries()
  await sendAsOtherClient('PATCH', `/timesheets/${first?.id}`, { time_end: '2024-04-02T12:00:00Z' })
  await sendAsOtherClient('DELETE', `/timesheets/${second?.id}`)
  expect(await changesOf(cli, '2024-001')).toEqual([
    { kind: 'entry', id: first?.id, change: 'changed', fields: ['time_end'] },
    { kind: 'entry', id: second?.id, change: 'deleted', fields: [] },
  ])
})

test('pending entries are left out, and without the service only drafts are written', async () => {
  const { cli, proxy } = await setUp()
  await proxy.close()
  expect(await cli.run('add', 'Acme/Shop/Design', '2024-04-04', '9:00-10:00')).toMatchObject({ status: 0 })
  const expense = 'expenses add 10 EUR --type Travel --project Shop --on 2024-04-05'
  expect(await cli.run(...expense.split(' '))).toMatchObject({ status: 0 })
  expect((await cli.run('invoice', 'Acme', '--yes', '-o', 'a.json')).status).toBe(6)
  const draft = await cli.json('invoice', 'Acme', '--dry-run', '-o', 'draft.json')
  expect(draft).toMatchObject({
    net: '285.00',
    left_out: ['entry', 'expense'].map((kind) => ({ reason: 'pending', kind, count: 1 })),
  })
  expect(await cli.json('invoice', 'list')).toEqual([])
  await proxy.open()
  await cli.run('sync', '--wait')
  expect(await write(cli)).toMatchObject({ net: '390.00' })
})

test('all profiles share the series of numbers', { tags: 'slow' }, async () => {
  const { cli } = await setUp()
  await write(cli)
  const local = (...argv: string[]) => cli.json(...argv, '--profile', 'local')
  const { TT_BASE_URL: url, TT_TOKEN: token } = cli.env
  delete cli.env.TT_BASE_URL
  delete cli.env.TT_TOKEN
  await local('add', 'Acme/Site/Design', '2024-04-02', '9:00-10:00')
  expect(await local('invoice', 'Acme', '--yes', '-o', 'local.json')).toMatchObject({ number: '2024-002' })
  expect(await local('invoice', 'list')).toMatchObject([{ number: '2024-002' }])
  Object.assign(cli.env, { TT_BASE_URL: url, TT_TOKEN: token })
  expect(await cli.json('invoice', 'list')).toMatchObject([{ number: '2024-001' }])
  await cli.run('invoice', 'void', '2024-001', '--yes', '-o', 'void.json')
  expect(await cli.json('invoice', 'list')).toMatchObject([{ number: '2024-001' }, { number: '2024-003' }])
})

test('a tool of an agent changes an invoiced entry only after a confirmation that names the invoice', {
  tags: 'slow',
}, async () => {
  const cli = createTestCli('2024-06-03T09:00:00')
  writeSettings(cli)
  await cli.run('add', 'Acme/Website/Design', '2024-05-06', '9:00-10:00')
  await write(cli)
  const { client } = await connectMcp(cli)
  const edit = { entries: ['1'], for: '2h' }
  const refused = await toolError(client, 'entry_edit', edit)
  expect(refused.error.message).toContain('Entry 1 is on invoice 2024-001')
  expect(await cli.json('show', '1')).toMatchObject({ duration_seconds: 3600 })
  expect(await callTool(client, 'entry_edit', { entries: ['1'], notes: 'x' })).toMatchObject({
    edited: { notes: 'x', invoice: '2024-001' },
  })
  await callConfirmed(client, 'entry_edit', edit)
  expect(await cli.json('show', '1')).toMatchObject({ duration_seconds: 7200 })
  const deletion = await toolError(client, 'entry_delete', { entries: ['1'] })
  expect(deletion.error.message).toContain('Delete')
  const second = await toolError(client, 'entry_delete', { entries: ['1'], confirm: deletion.confirm })
  expect(second.error.message).toContain('on invoice 2024-001')
  expect(await cli.json('show', '1')).toMatchObject({ invoice: '2024-001' })
  await callTool(client, 'entry_delete', { entries: ['1'], confirm: second.confirm })
  expect(await cli.json('log', 'all')).toEqual([])
})
