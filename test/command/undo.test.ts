import { describe, expect, test } from 'vitest'
import { noFault, respondToAll, respondToChanges } from '../support/proxy.js'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'
import { describeUndo } from './undo-cases.js'
import { changes, localScenario, offlineScenario } from './undo-fixtures.js'

/** The changes that differ in the kinds of records that they create, change and delete. `long/undo` has all of them. */
const differentChanges = [
  ...['start that trimmed an entry and stopped a timer', 'stop', 'edit', 'rm of several entries', 'split'],
  ...['join', 'cancel', 'expenses add', 'expenses edit', 'expenses rm'],
]

describeUndo(localScenario)
describeUndo(
  offlineScenario,
  changes.filter(([name]) => differentChanges.includes(name)),
)

describe('tt undo', () => {
  test('exits 3 without changes, and 2 for an invalid number', async () => {
    const cli = createTestCli()
    expect(await cli.run('undo')).toMatchObject({ status: 3, stdout: '' })
    expect(await cli.json('undo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5'])
      expect(await cli.run('undo', '--', word)).toMatchObject({ status: 2 })
  })

  test('the title of a change says what changed, and undo repeats it', async () => {
    const cli = createTestCli('2024-05-08T15:00:00')
    await cli.json('add', 'Website/Design', '--from', '9:00', '--to', '10:00', '-n', 'grid')
    await cli.json('expenses', 'add', '1200', '--currency', 'USD', '--type', 'Travel')
    for (const [line, change] of [
      [['edit', '1', '--to', '10:30'], 'Changed Website / Design (end 10:00 → 10:30)'],
      [
        ['edit', '1', '--from', '9:15', '-n', 'header'],
        'Changed Website / Design (start 09:00 → 09:15, notes)',
      ],
      [['edit', '1', '--task', 'Website/Review'], 'Changed Website / Design (task → Website / Review)'],
      [['expenses', 'edit', '1', '--amount', '13'], 'Changed an expense (amount 1200 → 13 USD)'],
      [
        ['expenses', 'edit', '1', '--amount', '12.50', '--currency', 'EUR'],
        'Changed an expense (amount 1200 USD → 12.50 EUR)',
      ],
      [
        ['expenses', 'edit', '1', '--on', '2024-05-07', '-n', 'train'],
        'Changed an expense (date 2024-05-08 → 2024-05-07, notes)',
      ],
    ] as const) {
      await cli.run(...line)
      expect((await cli.run('undo')).stderr).toBe(`Undid: ${change}.\n`)
    }
  })

  test('exits 0 offline without cached entries', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    await cli.run('tasks')
    await proxy.close()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    const undone = await cli.run('undo')
    expect(undone).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: Added [^\n]*\n$/) })
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('keeps its change in the history when the token is not accepted', async () => {
    const { cli, proxy } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    for (const fault of [
      respondToChanges(401),
      respondToAll(401),
      respondToChanges(403, { error: 'insufficient_scope' }),
    ]) {
      proxy.fault = fault
      expect([4, 5]).toContain((await cli.run('undo')).status)
      expect(await cli.json('undo', '--list')).toHaveLength(1)
      expect(await cli.json('sync', 'list')).toEqual([])
    }
    proxy.fault = noFault
    expect(await cli.run('undo')).toMatchObject({ status: 0 })
  })

  test.each([
    ['an edit', { notes: 'theirs' }],
    ['the length', { time_end: '2024-05-08T11:00:00Z' }],
  ])('prompts before it undoes a change of a record that was changed elsewhere: %s', async (_, theirs) => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await cli.json('edit', String(id), '-n', 'edited', '--for', '2h')
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, theirs)
    expect(await cli.run('undo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed elsewhere'),
    })
    expect(await entries()).toMatchObject(['notes' in theirs ? theirs : {}])
    expect(await cli.json('undo', '--list')).toHaveLength(2)
    expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'mine', time_end: '2024-05-08T08:00:00.000Z' }])
  })

  test('prompts before it undoes a timer that was stopped or got notes elsewhere', async () => {
    for (const theirs of [{ time_end: '2024-05-08T12:30:00Z' }, { notes: 'theirs' }]) {
      const { cli, sendAsOtherClient, entries } = await setUpService()
      const { id } = await cli.json('start', 'design')
      await sendAsOtherClient('PATCH', `/timesheets/${id}`, theirs)
      expect(await cli.run('undo')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('changed elsewhere'),
      })
      expect(await entries()).toHaveLength(1)
      expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
      expect(await entries()).toEqual([])
    }
  })

  test('reports an edit whose entry was deleted elsewhere, and goes on with the change before it', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    await cli.json('add', 'design', '--from', '8:00', '--for', '1h')
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('edit', String(id), '-n', 'edited')
    await sendAsOtherClient('DELETE', `/timesheets/${id}`)
    expect(await cli.run('undo')).toMatchObject({ status: 3, stderr: expect.stringContaining('is gone') })
    expect(await cli.run('undo', '2', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('removes a rejected change', { tags: 'slow' }, async () => {
    const refusing = respondToChanges(422, { errors: { task_link_id: ['is closed'] } })
    for (const line of [
      ['add', 'review', '--from', '10:00', '--for', '1h'],
      ['edit', '@1', '-n', 'x'],
      ['rm', '@1', '--yes'],
    ]) {
      const { cli, proxy, entries } = await setUpService()
      await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
      const before = await entries()
      proxy.fault = refusing
      expect(await cli.run(...line)).toMatchObject({ status: 7 })
      const undone = await cli.run('undo')
      expect({ line, ...undone }).toMatchObject({ line, status: 0, stderr: expect.stringContaining('Undid') })
      expect({ line, left: await cli.json('sync', 'list') }).toEqual({ line, left: [] })
      proxy.fault = noFault
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
      expect(await entries()).toEqual(before)
    }
  })

  test('never has two running timers at the service, and never less time than before', {
    tags: 'slow',
  }, async () => {
    const { cli, takeChanges } = await setUpService()
    const sent = () => takeChanges().map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)
    await cli.json('start', 'design', '--at', '8:00')
    await cli.json('start', 'review', '--at', '9:00')
    sent()
    await cli.run('undo', '--yes')
    expect(sent()).toEqual(['DELETE 2', 'PATCH 1'])
    await cli.json('stop', '--at', '9:00')
    await cli.run('split', '1', '--at', '8:30')
    sent()
    await cli.run('undo', '--yes')
    expect(sent()).toEqual(['PATCH 1', 'DELETE 3'])
  })

  test('undoes one of two equal changes', async () => {
    const { cli, proxy, entries } = await setUpService()
    await proxy.close()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('undo')
    await proxy.open()
    await cli.run('sync')
    expect(await entries()).toHaveLength(1)
  })

  test('prints its list as a table in a terminal', async () => {
    const { cli } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    const { stdout } = await cli.runInTerminal(100, 'undo', '--list')
    expect(stdout).toMatch(/N +Time +Change/)
    expect(stdout).toMatch(/1 +\d\d:\d\d +Added Website \/ Design/)
  })
})
