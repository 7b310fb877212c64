import { describe, expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'
import { changes, contents, scenarios, typist } from './reversible.js'
import { answering, answeringAll, openOffice, passOn, type Row } from './service-fixtures.js'

describe.each(scenarios)('tt undo %s', (_, open, offline) => {
  test.each(changes)('takes back %s', async (_name, before, line) => {
    const place = await open()
    const type = typist(place)
    for (const earlier of before) await type(...earlier)
    const rows = { entries: await place.entries(), expenses: await place.expenses() }
    const timer = await place.desk.json<Row | null>('status')
    const list = await place.desk.json('undo', '--list')

    if (offline.includes('change')) await place.leave()
    await type(...line)
    if (offline.includes('change') && !offline.includes('undo')) await place.comeBack()
    if (offline.includes('undo') && !offline.includes('change')) await place.leave()
    const undone = await place.desk.tt('undo')
    expect(undone).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: .+\.$/m) })
    expect(undone.stderr).not.toContain('elsewhere')
    expect(await place.desk.json('undo', '--list')).toEqual(list)
    const cached = await place.desk.json<Row | null>('status', '--cached')
    const known = (entry: Row | null) =>
      entry && { notes: entry.notes, start: entry.time_start, task: entry.task }
    expect(known(cached)).toEqual(known(timer))
    if (offline.includes('undo')) await place.comeBack()
    expect(contents(await place.entries())).toEqual(expect.arrayContaining(contents(rows.entries)))
    expect(await place.entries()).toHaveLength(rows.entries.length)
    expect(contents(await place.expenses())).toEqual(contents(rows.expenses))
    expect(await place.desk.json('sync', 'list')).toEqual([])
  })

  test('takes back several levels, and what was deleted and edited before goes by its old id', async () => {
    const place = await open()
    const { desk } = place
    const type = typist(place)
    if (offline.includes('change')) await place.leave()
    const { id } = (await type('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
    await type('edit', String(id), '-n', 'two')
    await type('edit', String(id), '--for', '2h')
    await type('rm', String(id), '--yes')
    if (offline.includes('change') && !offline.includes('undo')) await place.comeBack()
    if (offline.includes('undo') && !offline.includes('change')) await place.leave()
    expect(await desk.json('undo', '--list')).toMatchObject([
      { n: 1, what: expect.stringContaining('Deleted') },
      { n: 2, what: expect.stringContaining('Changed') },
      { n: 3, what: expect.stringContaining('Changed') },
      { n: 4, what: expect.stringContaining('Added') },
    ])
    expect(await desk.json('undo')).toHaveLength(1)
    expect(await desk.json('show', String(id))).toMatchObject({ notes: 'two', duration_seconds: 7200 })
    expect(await desk.json('undo', '2', '--yes')).toHaveLength(2)
    expect(await desk.json('show', String(id))).toMatchObject({ notes: 'one', duration_seconds: 3600 })
    expect(await desk.json('edit', String(id), '-n', 'three')).toMatchObject({ notes: 'three' })
    expect(await desk.json('undo', '2', '--yes')).toHaveLength(2)
    if (offline.includes('undo')) await place.comeBack()
    expect(await place.entries()).toEqual([])
    expect(await desk.tt('undo')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('nothing to undo'),
    })
    expect(await desk.tt('undo', '3')).toMatchObject({ status: 3 })
  })
})

describe('tt undo', () => {
  test('exits 3 where nothing was changed, and 2 for what is no number', async () => {
    const desk = newDesk()
    expect(await desk.tt('undo')).toMatchObject({ status: 3, stdout: '' })
    expect(await desk.json('undo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5'])
      expect(await desk.tt('undo', '--', word)).toMatchObject({ status: 2 })
  })

  test('is exit 0 offline, however little this machine knows', async () => {
    const { desk, proxy } = await openOffice({ known: false })
    await desk.tt('links')
    await proxy.close()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    const undone = await desk.tt('undo')
    expect(undone).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: Added [^\n]*\n$/) })
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('keeps its step where the token is not accepted', async () => {
    const { desk, proxy } = await openOffice()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    for (const fate of [answering(401), answeringAll(401), answering(403, { error: 'insufficient_scope' })]) {
      proxy.fate = fate
      expect([4, 5]).toContain((await desk.tt('undo')).status)
      expect(await desk.json('undo', '--list')).toHaveLength(1)
      expect(await desk.json('sync', 'list')).toEqual([])
    }
    proxy.fate = passOn
    expect(await desk.tt('undo')).toMatchObject({ status: 0 })
  })

  test.each([
    ['an edit', { notes: 'theirs' }],
    ['the length', { time_end: '2024-05-08T11:00:00Z' }],
  ])('asks before it takes back what somebody else has changed since: %s', async (_, theirs) => {
    const { desk, elsewhere, entries } = await openOffice()
    const { id } = await desk.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await desk.json('edit', String(id), '-n', 'edited', '--for', '2h')
    await elsewhere('PATCH', `/timesheets/${id}`, theirs)
    expect(await desk.tt('undo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed elsewhere'),
    })
    expect(await entries()).toMatchObject(['notes' in theirs ? theirs : {}])
    expect(await desk.json('undo', '--list')).toHaveLength(2)
    expect(await desk.tt('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'mine', time_end: '2024-05-08T08:00:00.000Z' }])
  })

  test('asks before it takes back a timer that somebody else has stopped, or written notes to', async () => {
    for (const theirs of [{ time_end: '2024-05-08T12:30:00Z' }, { notes: 'theirs' }]) {
      const { desk, elsewhere, entries } = await openOffice()
      const { id } = await desk.json('start', 'design')
      await elsewhere('PATCH', `/timesheets/${id}`, theirs)
      expect(await desk.tt('undo')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('changed elsewhere'),
      })
      expect(await entries()).toHaveLength(1)
      expect(await desk.tt('undo', '--yes')).toMatchObject({ status: 0 })
      expect(await entries()).toEqual([])
    }
  })

  test('of an edit whose entry somebody has deleted says so, and is not in the way of what was before', async () => {
    const { desk, elsewhere, entries } = await openOffice()
    await desk.json('add', 'design', '--from', '8:00', '--for', '1h')
    const { id } = await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    await desk.json('edit', String(id), '-n', 'edited')
    await elsewhere('DELETE', `/timesheets/${id}`)
    expect(await desk.tt('undo')).toMatchObject({ status: 3, stderr: expect.stringContaining('is gone') })
    expect(await desk.tt('undo', '2', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('drops what the service refused', async () => {
    const refusing = answering(422, { errors: { task_link_id: ['is closed'] } })
    for (const line of [
      ['add', 'review', '--from', '10:00', '--for', '1h'],
      ['edit', '@1', '-n', 'x'],
      ['rm', '@1', '--yes'],
    ]) {
      const { desk, proxy, entries } = await openOffice()
      await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
      const before = await entries()
      proxy.fate = refusing
      expect(await desk.tt(...line)).toMatchObject({ status: 7 })
      const undone = await desk.tt('undo')
      expect({ line, ...undone }).toMatchObject({ line, status: 0, stderr: expect.stringContaining('Undid') })
      expect({ line, left: await desk.json('sync', 'list') }).toEqual({ line, left: [] })
      proxy.fate = passOn
      expect(await desk.tt('sync')).toMatchObject({ status: 0 })
      expect(await entries()).toEqual(before)
    }
  })

  test('of a change typed twice takes back one', async () => {
    const { desk, proxy, entries } = await openOffice()
    await proxy.close()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    await desk.json('undo')
    await proxy.open()
    await desk.tt('sync')
    expect(await entries()).toHaveLength(1)
  })

  test('shows its list as a table at a terminal', async () => {
    const { desk } = await openOffice()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    const { stdout } = await desk.terminal(100, 'undo', '--list')
    expect(stdout).toMatch(/N +Typed +Change/)
    expect(stdout).toMatch(/1 +\d\d:\d\d +Added Website \/ Design/)
  })
})
