import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest, noFault } from '../support/proxy.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { preparedService } from './service-fixtures.js'

const closedMessage = 'is in the closed period, up to 2024-04-30'

/** Two entries and two expenses, each one in the closed period and one after it. */
async function addRecords({ json }: Pick<TestCli, 'json'>) {
  for (const day of ['2024-04-30', '2024-05-02']) {
    await json('add', 'Website/Design', '--from', `${day} 9:00`, '--for', '2h', '-n', 'logo')
    await json('expenses', 'add', '12.50', '--on', day)
  }
}

const createClosedCli = preparedCli('2024-05-08T12:00:00Z', async (cli) => {
  await addRecords(cli)
  await cli.json('admin', 'company', '--closed-until', '2024-04-30')
})

async function createLocal() {
  const cli = await createClosedCli()
  return { cli, count: async () => (await entriesOf(cli)).length }
}

const openService = preparedService(async ({ cli }) => addRecords(cli))

async function createService() {
  const setup = await openService()
  await setup.closeUntil('2024-04-30')
  setup.clearRequests()
  return { ...setup, count: async () => (await setup.entries()).length }
}

const entriesOf = (cli: TestCli) => cli.json<{ id: number; notes: string }[]>('log', '--since', '2024-01-01')

function writeCsv(cli: TestCli, ...rows: string[]) {
  writeFileSync(join(cli.home, 'rows.csv'), `project,task,start,end\n${rows.join('\n')}\n`)
}

describe.each([
  ['the local workspace', createLocal],
  ['a service', createService],
])('in %s, the closed period', (_, create) => {
  test('rejects changes in it before they are saved', { tags: 'slow' }, async () => {
    const { cli, count } = await create()
    for (const line of [
      "add Website/Design --from '2024-04-30 13:00' --for 1h",
      'edit 1 -n late',
      "edit 1 --from '2024-05-03 9:00' --to '2024-05-03 10:00'",
      "edit 2 --from '2024-04-30 13:00'",
      'rm 1',
      'split 1 --at 10:00',
      "start Website/Design --at '2024-04-30 13:00'",
      'expenses add 5 --on 2024-04-30',
      'expenses edit 1 --amount 5',
      'expenses edit 2 --on 2024-04-29',
      'expenses rm 1',
    ]) {
      const { status, stderr } = await cli.run(...splitCommandLine(line), '--yes')
      const rejected = { line, status: 7, stderr: expect.stringContaining(closedMessage) }
      expect({ line, status, stderr }).toEqual(rejected)
      expect(await cli.run('sync', 'list', '--json')).toMatchObject({ stdout: '[]\n' })
    }
    expect(await count()).toBe(2)
  })

  test('allows changes after it, and undo until it is closed', async () => {
    const { cli } = await create()
    await cli.json('edit', '2', '-n', 'in time')
    expect(await cli.run('undo')).toMatchObject({ status: 0 })
    expect(await cli.run('rm', '2', '--yes')).toMatchObject({ status: 0 })
    expect(await cli.run('expenses', 'rm', '2', '--yes')).toMatchObject({ status: 0 })
    expect((await entriesOf(cli)).map(({ notes }) => notes)).toEqual(['logo'])
  })

  test('rejects the undo of a change in it', async () => {
    const { cli } = await create()
    expect(await cli.run('undo', '4', '--yes')).toMatchObject(rejection(7, closedMessage))
  })

  test('skips and lists imported rows, and imports the others', async () => {
    const { cli } = await create()
    const closed = 'Website,Design,2024-04-30 14:00,2024-04-30 15:00'
    writeCsv(cli, closed, 'Website,Design,2024-05-03 14:00,2024-05-03 15:00')
    const preview = await cli.run('import', 'rows.csv', '--dry-run')
    expect(preview).toMatchObject({ status: 7 })
    expect(preview.stdout).toContain(`rows.csv:2: It ${closedMessage}.`)
    expect(preview.stdout).toContain('1 new entry')
    const imported = await cli.run('import', 'rows.csv', '--yes')
    expect(imported).toMatchObject({ status: 7 })
    expect(imported.stderr).toContain('Imported 1 entry from rows.csv')
    expect(imported.stderr).toContain(`rows.csv:2: It ${closedMessage}.`)
    expect(await entriesOf(cli)).toHaveLength(3)
    writeCsv(cli, closed)
    const nothing = await cli.run('import', 'rows.csv', '--yes')
    expect(nothing).toMatchObject({ status: 7 })
    expect(nothing.stderr).toContain('rows.csv contains only entries of the closed period')
  })
})

test('an import into the local workspace cannot be undone or redone in a closed period', async () => {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  const close = (day: string) => cli.json('admin', 'company', '--closed-until', day)
  writeCsv(cli, 'Website,Design,2024-04-30 14:00,2024-04-30 15:00')
  expect(await cli.run('import', 'rows.csv', '--yes')).toMatchObject({ status: 0 })
  await close('2024-04-30')
  const rejected = { status: 7, stderr: expect.stringContaining('in the closed period, up to 2024-04-30') }
  expect(await cli.run('undo')).toMatchObject(rejected)
  expect(await entriesOf(cli)).toHaveLength(1)
  await close('none')
  expect(await cli.run('undo')).toMatchObject({ status: 0 })
  await close('2024-04-30')
  expect(await cli.run('redo')).toMatchObject(rejected)
  expect(await entriesOf(cli)).toEqual([])
})

test('an update of an imported entry is skipped if the entry or its row is in the closed period', async () => {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  const write = (start: string) =>
    writeFileSync(
      join(cli.home, 'rows.csv'),
      `id,project,task,start,end\na,Website,Design,${start},2024-05-03 15:00\n`,
    )
  const columns = ['--columns', 'id=id,project=project,task=task,start=start,end=end']
  write('2024-04-30 14:00')
  expect(await cli.run('import', 'rows.csv', ...columns, '--yes')).toMatchObject({ status: 0 })
  await cli.json('admin', 'company', '--closed-until', '2024-04-30')
  write('2024-05-02 14:00')
  const updated = await cli.run('import', 'rows.csv', ...columns, '--update', '--yes')
  expect(updated).toMatchObject(rejection(7, closedMessage))
  expect(await entriesOf(cli)).toMatchObject([{ time_start: '2024-04-30T14:00:00+02:00' }])
})

test('a change that was saved before the closing is rejected by the service, and listed', async () => {
  const { cli, proxy, closeUntil, entries } = await openService()
  proxy.fault = dropRequest
  const saved = await cli.run('edit', '1', '-n', 'late')
  expect(saved).toMatchObject({ status: 0, stderr: expect.stringContaining('Saved locally') })
  await closeUntil('2024-04-30')
  proxy.fault = noFault
  expect(await cli.run('sync')).toMatchObject({ status: 7 })
  expect(await cli.json('sync', 'list')).toMatchObject([
    { record: '1', state: 'refused', message: expect.stringContaining(closedMessage) },
  ])
  expect(await entries()).toMatchObject([{ notes: 'logo' }, { notes: 'logo' }])
})

test('offline, the last known closed period counts', async () => {
  const { cli, proxy } = await createService()
  expect(await cli.run('rm', '1', '--yes')).toMatchObject({ status: 7 })
  proxy.fault = dropRequest
  const { status, stderr } = await cli.run('edit', '1', '-n', 'late')
  expect(stderr).toContain(closedMessage)
  expect(status).toBe(7)
})

test('a timer that runs since the closed period does not prevent another one', async () => {
  const { cli, closeUntil } = await openService()
  await cli.json('start', 'Website/Design', '--at', '2024-04-30 13:00')
  await closeUntil('2024-04-30')
  expect(await cli.run('stop')).toMatchObject(rejection(7, closedMessage))
  const started = await cli.run('start', 'Website/Review')
  expect(started).toMatchObject({ status: 0, stderr: expect.stringContaining(closedMessage) })
})
