import { describe, expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'
import { changes, contents, type Place, scenarios, typist } from './reversible.js'
import { answering, openOffice, passOn, type Row } from './service-fixtures.js'

/** The rows without their ids, in an order that does not depend on when they were created. */
const sorted = (rows: Row[]) =>
  contents(rows)
    .map((row) => JSON.stringify(row))
    .sort()

async function rowsOf(place: Place) {
  return { entries: sorted(await place.entries()), expenses: sorted(await place.expenses()) }
}

describe.each(scenarios)('tt redo %s', (_, open, offline) => {
  test.each(changes)('redoes %s', async (_name, before, line) => {
    const expected = await open()
    const typeThere = typist(expected)
    for (const earlier of [...before, line]) await typeThere(...earlier)

    const place = await open()
    const { desk } = place
    const type = typist(place)
    for (const earlier of before) await type(...earlier)
    if (offline.includes('change')) await place.leave()
    await type(...line)
    if (offline.includes('change') && !offline.includes('undo')) await place.comeBack()
    const [change] = await desk.json<Row[]>('undo', '--list')
    const timer = await desk.json<Row | null>('status', '--cached')
    if (offline.includes('undo') && !offline.includes('change')) await place.leave()
    await desk.json('undo')
    expect(await desk.json('redo', '--list')).toMatchObject([{ n: 1, what: change?.what }])
    const redone = await desk.tt('redo')
    expect(redone).toMatchObject({ status: 0, stderr: expect.stringContaining(`Redid: ${change?.what}.`) })
    expect(redone.stderr).not.toContain('elsewhere')
    expect(await desk.json('redo', '--list')).toEqual([])
    expect((await desk.json<Row[]>('undo', '--list'))[0]).toEqual(change)
    const known = (entry: Row | null) =>
      entry && { notes: entry.notes, start: entry.time_start, task: entry.task }
    expect(known(await desk.json('status', '--cached'))).toEqual(known(timer))
    if (offline.includes('undo')) await place.comeBack()
    expect(await rowsOf(place)).toEqual(await rowsOf(expected))
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('undoes and redoes several changes back and forth', async () => {
    const place = await open()
    const { desk } = place
    const type = typist(place)
    const before = await rowsOf(place)
    if (offline.includes('change')) await place.leave()
    const { id } = (await type('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
    await type('edit', String(id), '-n', 'two')
    await type('rm', String(id), '--yes')
    await type('expenses', 'add', '5', '-n', 'taxi')
    if (offline.includes('change') && !offline.includes('undo')) await place.comeBack()
    if (offline.includes('undo') && !offline.includes('change')) await place.leave()
    for (let round = 0; round < 2; round++) {
      expect(await desk.json('undo', '4', '--yes')).toHaveLength(4)
      expect(await desk.json('redo', '--list')).toMatchObject([
        { n: 1, what: expect.stringContaining('Added') },
        { n: 2, what: expect.stringContaining('Changed') },
        { n: 3, what: expect.stringContaining('Deleted') },
        { n: 4, what: expect.stringContaining('expense') },
      ])
      expect(await desk.json('redo')).toHaveLength(1)
      expect(await desk.json('show', String(id))).toMatchObject({ notes: 'one' })
      expect(await desk.json('redo')).toHaveLength(1)
      expect(await desk.json('show', String(id))).toMatchObject({ notes: 'two' })
      expect(await desk.json('redo', '2', '--yes')).toHaveLength(2)
      expect((await desk.tt('redo')).status).toBe(3)
    }
    if (offline.includes('undo')) await place.comeBack()
    expect(sorted(await place.entries())).toEqual(before.entries)
    expect(await place.expenses()).toMatchObject([{ notes: 'taxi' }])
  })
})

const additions = [
  ['add', 'design', '--from', '9:00', '--for', '1h'],
  ['add', 'design', '--from', '10:00', '--for', '1h'],
  ['add', 'design', '--from', '11:00', '--for', '1h'],
]

async function withThreeChanges() {
  const office = await openOffice()
  for (const line of additions) await office.desk.json(...line)
  return office
}

describe('tt redo', () => {
  test('exits 3 where nothing was undone, and 2 for what is not a number', async () => {
    const { desk } = await withThreeChanges()
    expect(await desk.tt('redo')).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('nothing to redo'),
    })
    expect(await desk.json('redo', '--list')).toEqual([])
    for (const word of ['0', '-1', 'x', '1.5', '10000'])
      expect(await desk.tt('redo', '--', word)).toMatchObject({ status: 2 })
  })

  test('redoes nothing after a new change, even when that is undone', async () => {
    const { desk } = await withThreeChanges()
    await desk.json('undo', '2', '--yes')
    await desk.json('add', 'review', '--from', '8:00', '--for', '30m')
    expect(await desk.json('redo', '--list')).toEqual([])
    await desk.json('undo', '2', '--yes')
    expect(await desk.json('redo', '--list')).toMatchObject([
      { what: expect.stringContaining('Design') },
      { what: expect.stringContaining('Review') },
    ])
  })

  test('keeps its list when a new change fails', async () => {
    const { desk, proxy } = await withThreeChanges()
    await desk.json('undo')
    proxy.fate = answering(403, { error: 'insufficient_scope' })
    expect(await desk.tt('add', 'review', '--from', '8:00', '--for', '30m')).toMatchObject({ status: 5 })
    expect(await desk.tt('redo')).toMatchObject({ status: 5 })
    expect(await desk.json('redo', '--list')).toHaveLength(1)
    proxy.fate = passOn
    expect(await desk.json('redo')).toHaveLength(1)
  })

  test('keeps its list when an edit changes nothing', async () => {
    const { desk } = await withThreeChanges()
    await desk.json('undo')
    await desk.json('edit', '@1', '--from', '10:00')
    expect(await desk.json('redo', '--list')).toHaveLength(1)
  })

  test('prompts before it overwrites a later change from elsewhere', async () => {
    const { desk, elsewhere, entries } = await openOffice()
    const { id } = await desk.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await desk.json('edit', String(id), '-n', 'edited')
    await desk.json('undo')
    await elsewhere('PATCH', `/timesheets/${id}`, { notes: 'theirs' })
    expect(await desk.tt('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'was changed elsewhere since (notes). Needs confirmation: Redo it anyway.',
      ),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    const redone = await desk.tt('redo', '--yes')
    expect(redone).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('was changed elsewhere since (notes).'),
    })
    expect(await entries()).toMatchObject([{ notes: 'edited' }])
  })

  test('prompts before it deletes an entry that was changed elsewhere', async () => {
    const { desk, elsewhere, entries } = await openOffice()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'mine')
    await desk.json('rm', '@1', '--yes')
    await desk.json('undo')
    const [entry] = await entries()
    await elsewhere('PATCH', `/timesheets/${entry?.id}`, { notes: 'theirs' })
    expect(await desk.tt('redo')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('changed elsewhere'),
    })
    expect(await entries()).toMatchObject([{ notes: 'theirs' }])
    expect(await desk.tt('redo', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('drops a change whose entry was deleted elsewhere, and goes on with the next', async () => {
    const { desk, elsewhere } = await openOffice()
    const { id } = await desk.json('add', 'design', '--from', '9:00', '--for', '1h')
    await desk.json('edit', String(id), '-n', 'edited')
    await desk.json('expenses', 'add', '5')
    await desk.json('undo', '2', '--yes')
    await elsewhere('DELETE', `/timesheets/${id}`)
    expect(await desk.tt('redo')).toMatchObject({ status: 3, stderr: expect.stringContaining('is gone') })
    expect(await desk.json('redo')).toMatchObject([{ what: expect.stringContaining('expense') }])
  })
})

describe.each([
  ['undo', 'Undo', 'Undid'],
  ['redo', 'Redo', 'Redid'],
])('tt %s N', (command, title, pastTense) => {
  async function prepared() {
    const office = await withThreeChanges()
    if (command === 'redo') await office.desk.json('undo', '3', '--yes')
    return office
  }

  test('lists the changes and prompts above 1', async () => {
    const { desk, entries } = await prepared()
    const before = await entries()
    const refused = await desk.tt(command, '2')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/ {2}1 {2}\d\d:\d\d {2}Added Website \/ Design, (11|09):00\n {2}2 {2}/)
    expect(refused.stderr).toContain(`${title} these 2 changes.`)
    expect(refused.stderr).toContain('--yes')
    expect(await entries()).toEqual(before)
  })

  test('prints the same list under --yes', async () => {
    const { desk } = await prepared()
    const refused = await desk.tt(command, '3')
    const [list = ''] = /^ {2}1[\s\S]*?(?=\n\w)/m.exec(refused.stderr) ?? []
    expect(list.split('\n')).toHaveLength(3)
    const { stderr } = await desk.tt(command, '3', '--yes')
    expect(stderr).toContain(list)
    expect(stderr.match(new RegExp(`^${pastTense}: `, 'gm'))).toHaveLength(3)
  })

  test('says when there are fewer changes', async () => {
    const { desk } = await prepared()
    const fewer = new RegExp(`Only 3 changes can be ${command === 'undo' ? 'undone' : 'redone'}\\.`)
    expect(await desk.tt(command, '99')).toMatchObject({ status: 2, stderr: expect.stringMatching(fewer) })
    expect(await desk.tt(command, '99', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(fewer),
    })
    const none = newDesk()
    expect(await none.tt(command, '99')).toMatchObject({ status: 3 })
  })
})
