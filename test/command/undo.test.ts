import { describe, expect, test } from 'vitest'
import { noFault, respondToAll, respondToChanges } from '../support/proxy.js'
import { createTestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'
import { changes, commandRunner, contents, scenarios } from './undo-fixtures.js'

describe.each(scenarios)('tt undo %s', (_, open, offline) => {
  test.each(changes)('undoes %s', async (_name, before, line) => {
    const setup = await open()
    const type = commandRunner(setup)
    for (const earlier of before) await type(...earlier)
    const rows = { entries: await setup.entries(), expenses: await setup.expenses() }
    const timer = await setup.cli.json<Row | null>('status')
    const list = await setup.cli.json('undo', '--list')

    if (offline.includes('change')) await setup.goOffline()
    await type(...line)
    if (offline.includes('change') && !offline.includes('undo')) await setup.goOnline()
    if (offline.includes('undo') && !offline.includes('change')) await setup.goOffline()
    const undone = await setup.cli.run('undo')
    expect(undone).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: .+\.$/m) })
    expect(undone.stderr).not.toContain('elsewhere')
    expect(await setup.cli.json('undo', '--list')).toEqual(list)
    const cached = await setup.cli.json<Row | null>('status', '--cached')
    const withoutId = (entry: Row | null) =>
      entry && { notes: entry.notes, start: entry.time_start, task: entry.task }
    expect(withoutId(cached)).toEqual(withoutId(timer))
    if (offline.includes('undo')) await setup.goOnline()
    expect(contents(await setup.entries())).toEqual(expect.arrayContaining(contents(rows.entries)))
    expect(await setup.entries()).toHaveLength(rows.entries.length)
    expect(contents(await setup.expenses())).toEqual(contents(rows.expenses))
    expect(await setup.cli.json('sync', 'list')).toEqual([])
  })

  test('undoes several changes, and finds deleted and edited entries by their old ID', async () => {
    const setup = await open()
    const { cli } = setup
    const type = commandRunner(setup)
    if (offline.includes('change')) await setup.goOffline()
    const { id } = (await type('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
    await type('edit', String(id), '-n', 'two')
    await type('edit', String(id), '--for', '2h')
    await type('rm', String(id), '--yes')
    if (offline.includes('change') && !offline.includes('undo')) await setup.goOnline()
    if (offline.includes('undo') && !offline.includes('change')) await setup.goOffline()
    expect(await cli.json('undo', '--list')).toMatchObject([
      { n: 1, what: expect.stringContaining('Deleted') },
      { n: 2, what: expect.stringContaining('Changed') },
      { n: 3, what: expect.stringContaining('Changed') },
      { n: 4, what: expect.stringContaining('Added') },
    ])
    expect(await cli.json('undo')).toHaveLength(1)
    expect(await cli.json('show', String(id))).toMatchObject({ notes: 'two', duration_seconds: 7200 })
    expect(await cli.json('undo', '2', '--yes')).toHaveLength(2)
    expect(await cli.json('show', String(id))).toMatchObject({ notes: 'one', duration_seconds: 3600 })
    expect(await cli.json('edit', String(id), '-n', 'three')).toMatchObject({ notes: 'three' })
    expect(await cli.json('undo', '2', '--yes')).toHaveLength(2)
    if (offline.includes('undo')) await setup.goOnline()
    expect(await setup.entries()).toEqual([])
    expect(await cli.run('undo')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('nothing to undo'),
    })
    expect(await cli.run('undo', '3')).toMatchObject({ status: 3 })
  })
})

describe('tt undo', () => {
  test('exits 3 without changes, and 2 for an invalid number', async () => {
    const cli = createTestCli()
    expect(await cli.run('undo')).toMatchObject({ status: 3, stdout: '' })
    expect(await cli.json('undo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5'])
      expect(await cli.run('undo', '--', word)).toMatchObject({ status: 2 })
  })

  test('exits 0 offline without cached entries', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    await cli.run('links')
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

  test('removes a rejected change', async () => {
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
