import { describe, expect, test } from 'vitest'
import { noFault, respondToChanges } from '../support/proxy.js'
import { SharedResults } from '../support/shared-results.js'
import { createTestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'
import { changes, commandRunner, contents, scenarios, type TestSetup } from './undo-fixtures.js'

/** Returns the rows without IDs, sorted by content. */
const sortByContent = (rows: Row[]) =>
  contents(rows)
    .map((row) => JSON.stringify(row))
    .sort()

async function rowsOf(setup: TestSetup) {
  return { entries: sortByContent(await setup.entries()), expenses: sortByContent(await setup.expenses()) }
}

/** The rows after commands online, which the tests of one kind of workspace share. */
const expectedRows = new Map(
  scenarios.map(([, open]) => [open, new SharedResults<Awaited<ReturnType<typeof rowsOf>>>()]),
)

/** Returns the rows after these commands online. */
function rowsAfter(open: () => Promise<TestSetup>, commands: string[][]) {
  return expectedRows.get(open)?.get(JSON.stringify(commands), async () => {
    const setup = await open()
    const runCommand = commandRunner(setup)
    for (const command of commands) await runCommand(...command)
    return rowsOf(setup)
  })
}

describe.each(scenarios)('tt redo %s', (_, open, offline) => {
  test.each(changes)('redoes %s', async (_name, before, line) => {
    const expected = await rowsAfter(open, [...before, line])
    const setup = await open()
    const { cli } = setup
    const runChange = commandRunner(setup)
    for (const earlier of before) await runChange(...earlier)
    if (offline.includes('change')) await setup.goOffline()
    await runChange(...line)
    if (offline.includes('change') && !offline.includes('undo')) await setup.goOnline()
    const [change] = await cli.json<Row[]>('undo', '--list')
    const timer = await cli.json<Row | null>('status', '--cached')
    if (offline.includes('undo') && !offline.includes('change')) await setup.goOffline()
    await cli.json('undo')
    expect(await cli.json('redo', '--list')).toMatchObject([{ n: 1, what: change?.what }])
    const redone = await cli.run('redo')
    expect(redone).toMatchObject({ status: 0, stderr: expect.stringContaining(`Redid: ${change?.what}.`) })
    expect(redone.stderr).not.toContain('elsewhere')
    expect(await cli.json('redo', '--list')).toEqual([])
    expect((await cli.json<Row[]>('undo', '--list'))[0]).toEqual(change)
    const withoutId = (entry: Row | null) =>
      entry && { notes: entry.notes, start: entry.time_start, task: entry.task }
    expect(withoutId(await cli.json('status', '--cached'))).toEqual(withoutId(timer))
    if (offline.includes('undo')) await setup.goOnline()
    expect(await rowsOf(setup)).toEqual(expected)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('undoes and redoes several changes back and forth', async () => {
    const setup = await open()
    const { cli } = setup
    const runChange = commandRunner(setup)
    const before = await rowsOf(setup)
    if (offline.includes('change')) await setup.goOffline()
    const { id } = (await runChange('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
    await runChange('edit', String(id), '-n', 'two')
    await runChange('rm', String(id), '--yes')
    await runChange('expenses', 'add', '5', '-n', 'taxi')
    if (offline.includes('change') && !offline.includes('undo')) await setup.goOnline()
    if (offline.includes('undo') && !offline.includes('change')) await setup.goOffline()
    for (let round = 0; round < 2; round++) {
      expect(await cli.json('undo', '4', '--yes')).toHaveLength(4)
      expect(await cli.json('redo', '--list')).toMatchObject([
        { n: 1, what: expect.stringContaining('Added') },
        { n: 2, what: expect.stringContaining('Changed') },
        { n: 3, what: expect.stringContaining('Deleted') },
        { n: 4, what: expect.stringContaining('expense') },
      ])
      expect(await cli.json('redo')).toHaveLength(1)
      expect(await cli.json('show', String(id))).toMatchObject({ notes: 'one' })
      expect(await cli.json('redo')).toHaveLength(1)
      expect(await cli.json('show', String(id))).toMatchObject({ notes: 'two' })
      expect(await cli.json('redo', '2', '--yes')).toHaveLength(2)
      expect((await cli.run('redo')).status).toBe(3)
    }
    if (offline.includes('undo')) await setup.goOnline()
    expect(sortByContent(await setup.entries())).toEqual(before.entries)
    expect(await setup.expenses()).toMatchObject([{ notes: 'taxi' }])
  })
})

const additions = [
  ['add', 'design', '--from', '9:00', '--for', '1h'],
  ['add', 'design', '--from', '10:00', '--for', '1h'],
  ['add', 'design', '--from', '11:00', '--for', '1h'],
]

async function setUpThreeChanges() {
  const setup = await setUpService()
  for (const line of additions) await setup.cli.json(...line)
  return setup
}

describe('tt redo', () => {
  test('exits 3 when nothing was undone, and 2 for an invalid number', async () => {
    const { cli } = await setUpThreeChanges()
    expect(await cli.run('redo')).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('nothing to redo'),
    })
    expect(await cli.json('redo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5', '10000'])
      expect(await cli.run('redo', '--', word)).toMatchObject({ status: 2 })
  })

  test('redoes nothing after a new change, even when that is undone', async () => {
    const { cli } = await setUpThreeChanges()
    await cli.json('undo', '2', '--yes')
    await cli.json('add', 'review', '--from', '8:00', '--for', '30m')
    expect(await cli.json('redo', '--list')).toEqual([])
    await cli.json('undo', '2', '--yes')
    expect(await cli.json('redo', '--list')).toMatchObject([
      { what: expect.stringContaining('Design') },
      { what: expect.stringContaining('Review') },
    ])
  })

  test('keeps its list when a new change fails', async () => {
    const { cli, proxy } = await setUpThreeChanges()
    await cli.json('undo')
    proxy.fault = respondToChanges(403, { error: 'insufficient_scope' })
    expect(await cli.run('add', 'review', '--from', '8:00', '--for', '30m')).toMatchObject({ status: 5 })
    expect(await cli.run('redo')).toMatchObject({ status: 5 })
    expect(await cli.json('redo', '--list')).toHaveLength(1)
    proxy.fault = noFault
    expect(await cli.json('redo')).toHaveLength(1)
  })

  test('keeps its list when an edit changes nothing', async () => {
    const { cli } = await setUpThreeChanges()
    await cli.json('undo')
    await cli.json('edit', '@1', '--from', '10:00')
    expect(await cli.json('redo', '--list')).toHaveLength(1)
  })

  test('prompts before it overwrites a later change from elsewhere', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await cli.json('edit', String(id), '-n', 'edited')
    await cli.json('undo')
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'theirs' })
    expect(await cli.run('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'was changed elsewhere since (notes). Confirmation required: Redo it anyway.',
      ),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    const redone = await cli.run('redo', '--yes')
    expect(redone).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('was changed elsewhere since (notes).'),
    })
    expect(await entries()).toMatchObject([{ notes: 'edited' }])
  })

  test('prompts before it deletes an entry that was changed elsewhere', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await cli.json('rm', '@1', '--yes')
    await cli.json('undo')
    const [entry] = await entries()
    await sendAsOtherClient('PATCH', `/timesheets/${entry?.id}`, { notes: 'theirs' })
    expect(await cli.run('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed elsewhere'),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    expect(await cli.run('redo', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('drops a change whose entry was deleted elsewhere, and goes on with the next', async () => {
    const { cli, sendAsOtherClient } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('edit', String(id), '-n', 'edited')
    await cli.json('expenses', 'add', '5')
    await cli.json('undo', '2', '--yes')
    await sendAsOtherClient('DELETE', `/timesheets/${id}`)
    expect(await cli.run('redo')).toMatchObject({ status: 3, stderr: expect.stringContaining('is gone') })
    expect(await cli.json('redo')).toMatchObject([{ what: expect.stringContaining('expense') }])
  })
})

describe.each([
  ['undo', 'Undo', 'Undid'],
  ['redo', 'Redo', 'Redid'],
])('tt %s N', (command, title, pastTense) => {
  async function prepared() {
    const setup = await setUpThreeChanges()
    if (command === 'redo') await setup.cli.json('undo', '3', '--yes')
    return setup
  }

  test('lists the changes and prompts above 1', async () => {
    const { cli, entries } = await prepared()
    const before = await entries()
    const rejected = await cli.run(command, '2')
    expect(rejected.status).toBe(2)
    expect(rejected.stderr).toMatch(/ {2}1 {2}\d\d:\d\d {2}Added Website \/ Design, (11|09):00\n {2}2 {2}/)
    expect(rejected.stderr).toContain(`${title} these 2 changes.`)
    expect(rejected.stderr).toContain('--yes')
    expect(await entries()).toEqual(before)
  })

  test('prints the same list under --yes', async () => {
    const { cli } = await prepared()
    const rejected = await cli.run(command, '3')
    const [list = ''] = /^ {2}1[\s\S]*?(?=\n\w)/m.exec(rejected.stderr) ?? []
    expect(list.split('\n')).toHaveLength(3)
    const { stderr } = await cli.run(command, '3', '--yes')
    expect(stderr).toContain(list)
    expect(stderr.match(new RegExp(`^${pastTense}: `, 'gm'))).toHaveLength(3)
  })

  test('says when there are fewer changes', async () => {
    const { cli } = await prepared()
    const fewer = new RegExp(`Only 3 changes can be ${command === 'undo' ? 'undone' : 'redone'}\\.`)
    expect(await cli.run(command, '99')).toMatchObject({ status: 2, stderr: expect.stringMatching(fewer) })
    expect(await cli.run(command, '99', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(fewer),
    })
    const none = createTestCli()
    expect(await none.run(command, '99')).toMatchObject({ status: 3 })
  })
})
