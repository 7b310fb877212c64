import { describe, expect, test } from 'vitest'
import { type Desk, newDesk } from '../support/desk.js'
import { answering, answeringAll, openOffice, passOn, type Row } from './at-service.js'

const stamps = new Set(['updated_at', 'created_at'])

/** Rows without what changes whenever they are written. */
const lasting = (rows: readonly Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !stamps.has(name))))

/** The same, for rows that were made anew. */
const contents = (rows: readonly Row[]) => lasting(rows).map(({ id: _, ...rest }) => rest)

/** A place where entries and expenses are: what is there, and how tt is cut off from it. */
interface Place {
  desk: Desk
  entries(): Promise<Row[]>
  expenses(): Promise<Row[]>
  /** From now on nothing is delivered. */
  leave(): Promise<void>
  /** Everything is delivered again. */
  comeBack(): Promise<void>
}

async function atService(): Promise<Place> {
  const { desk, proxy, entries, expenses } = await openOffice()
  return {
    desk,
    entries,
    expenses,
    leave: () => proxy.close(),
    async comeBack() {
      await proxy.open()
      expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    },
  }
}

async function inWorkspace(): Promise<Place> {
  const desk = newDesk('2024-05-08T12:00:00Z')
  await desk.json('admin', 'project', 'add', 'Website')
  for (const task of ['Design', 'Review'])
    await desk.json('admin', 'task', 'add', task, '--project', 'Website')
  await desk.json('admin', 'expense-type', 'add', 'Travel')
  const rows = (path: string) => desk.json<Row[]>('api', 'GET', path)
  const nothing = async () => {}
  return {
    desk,
    entries: () => rows('/timesheets'),
    expenses: () => rows('/expenses'),
    leave: nothing,
    comeBack: nothing,
  }
}

/** Each command that changes something: what was done before, and the line. */
const changes: [name: string, before: string[][], line: string[]][] = [
  ['start', [], ['start', 'design', '--at', '13:00']],
  [
    'start that stopped another',
    [['start', 'design', '--at', '12:00']],
    ['start', 'review', '--at', '13:00'],
  ],
  [
    'start that ended one before earlier, and stopped another',
    [
      ['add', 'design', '--from', '12:00', '--to', '13:30', '-n', 'a'],
      ['start', 'design', '--at', '12:30'],
    ],
    ['start', 'review', '--at', '13:00', '--trim'],
  ],
  ['stop', [['start', 'design', '--at', '13:00', '-n', 'a']], ['stop', '-n', 'b']],
  ['add', [], ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x', '--external-id', 'T-1']],
  [
    'edit',
    [['add', 'design', '--from', '9:00', '--for', '1h']],
    ['edit', '@1', '-n', 'x', '--task', 'review', '--for', '2h'],
  ],
  [
    'edit of what runs',
    [['start', 'design', '--at', '13:00', '-n', 'a']],
    ['edit', '@', '-n', 'b', '--from', '12:00'],
  ],
  [
    'rm',
    [['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x', '--external-id', 'T-1']],
    ['rm', '@1', '--yes'],
  ],
  [
    'rm of several',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['add', 'review', '--from', '10:00', '--for', '1h'],
      ['add', 'review', '--from', '11:00', '--for', '1h'],
    ],
    ['rm', '@1', '@3', '--yes'],
  ],
  [
    'split',
    [['add', 'design', '--from', '9:00', '--for', '3h', '-n', 'x', '--external-id', 'T-1']],
    ['split', '@1', '--at', '10:00', '--at', '11:00'],
  ],
  [
    'split of what runs',
    [['start', 'design', '--at', '9:00']],
    ['split', '@', '--at', '10:00', '--at', '11:00'],
  ],
  [
    'join',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['add', 'design', '--from', '10:00', '--for', '1h', '-n', 'y'],
    ],
    ['join', '@1', '@2'],
  ],
  [
    'join with what runs',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['start', 'design', '--at', '10:00'],
    ],
    ['join', '@1', '@'],
  ],
  ['fill', [['add', 'design', '--from', '12:00', '--for', '1h']], ['fill', '@1']],
  ['continue', [['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x']], ['continue']],
  ['cancel', [['start', 'design', '--at', '13:00', '-n', 'a']], ['cancel', '--yes']],
  ['expenses add', [], ['expenses', 'add', '5', '-n', 'x']],
  [
    'expenses edit',
    [['expenses', 'add', '5', '-n', 'x']],
    ['expenses', 'edit', 'ID', '--amount', '6', '-n', 'y', '--type', 'Travel'],
  ],
  [
    'expenses rm',
    [['expenses', 'add', '5', '-n', 'x', '--external-id', 'T-1']],
    ['expenses', 'rm', 'ID', '--yes'],
  ],
]

/** Types a line at its time; ID stands for the record that was made last. */
function typist({ desk }: Place) {
  let last = ''
  let minute = 0
  return async (...line: string[]) => {
    minute++
    desk.at(`2024-05-08T12:${String(minute).padStart(2, '0')}:00Z`)
    const value = await desk.json<Row | Row[]>(...line.map((word) => (word === 'ID' ? last : word)))
    if (!Array.isArray(value)) last = String(value.id)
    return value
  }
}

const scenarios: [string, () => Promise<Place>, ('change' | 'undo')[]][] = [
  ['in the local workspace', inWorkspace, []],
  ['at the service', atService, []],
  ['offline after it was delivered', atService, ['undo']],
  ['offline like the change', atService, ['change', 'undo']],
  ['back at the service, where the change was typed offline', atService, ['change']],
]

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
    expect(await desk.json('undo', '2')).toHaveLength(2)
    expect(await desk.json('show', String(id))).toMatchObject({ notes: 'one', duration_seconds: 3600 })
    expect(await desk.json('edit', String(id), '-n', 'three')).toMatchObject({ notes: 'three' })
    expect(await desk.json('undo', '2')).toHaveLength(2)
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
    expect(await desk.tt('undo', '2')).toMatchObject({ status: 0 })
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
