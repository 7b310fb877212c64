import { describe, expect, test } from 'vitest'
import { SharedResults } from '../support/shared-results.js'
import type { Row } from './service-fixtures.js'
import { changes, commandRunner, contents, type Scenario, type TestSetup } from './undo-fixtures.js'

/** Opens or closes the connection before a step, and at the end. */
async function connectFor(step: 'change' | 'undo' | 'end', setup: TestSetup, offline: Scenario['offline']) {
  const previous = { change: undefined, undo: 'change', end: 'undo' }[step]
  const wasOffline = offline.some((each) => each === previous)
  const isOffline = offline.some((each) => each === step)
  if (isOffline && !wasOffline) await setup.goOffline()
  if (wasOffline && !isOffline) await setup.goOnline()
}

/** The parts of a timer that an undo and a redo restore. */
const withoutId = (entry: Row | null) =>
  entry && { notes: entry.notes, start: entry.time_start, task: entry.task }

/** Tests that `tt undo` undoes every change in this scenario. */
export function describeUndo({ name, open, offline }: Scenario) {
  describe(`tt undo ${name}`, () => {
    test.each(changes)('undoes %s', async (_name, before, line) => {
      const setup = await open()
      const type = commandRunner(setup)
      for (const earlier of before) await type(...earlier)
      const rows = { entries: await setup.entries(), expenses: await setup.expenses() }
      const timer = await setup.cli.json<Row | null>('status')
      const list = await setup.cli.json('undo', '--list')

      await connectFor('change', setup, offline)
      await type(...line)
      await connectFor('undo', setup, offline)
      const undone = await setup.cli.run('undo')
      expect(undone).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: .+\.$/m) })
      expect(undone.stderr).not.toContain('elsewhere')
      expect(await setup.cli.json('undo', '--list')).toEqual(list)
      const cached = await setup.cli.json<Row | null>('status', '--cached')
      expect(withoutId(cached)).toEqual(withoutId(timer))
      await connectFor('end', setup, offline)
      expect(contents(await setup.entries())).toEqual(expect.arrayContaining(contents(rows.entries)))
      expect(await setup.entries()).toHaveLength(rows.entries.length)
      expect(contents(await setup.expenses())).toEqual(contents(rows.expenses))
      expect(await setup.cli.json('sync', 'list')).toEqual([])
    })

    test('undoes several changes, and finds deleted and edited entries by their old ID', async () => {
      const setup = await open()
      const { cli } = setup
      const type = commandRunner(setup)
      await connectFor('change', setup, offline)
      const { id } = (await type('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
      await type('edit', String(id), '-n', 'two')
      await type('edit', String(id), '--for', '2h')
      await type('rm', String(id), '--yes')
      await connectFor('undo', setup, offline)
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
      await connectFor('end', setup, offline)
      expect(await setup.entries()).toEqual([])
      expect(await cli.run('undo')).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('nothing to undo'),
      })
      expect(await cli.run('undo', '3')).toMatchObject({ status: 3 })
    })
  })
}

/** Tests that `tt redo` redoes every change in this scenario. */
export function describeRedo({ name, open, offline }: Scenario) {
  describe(`tt redo ${name}`, () => {
    test.each(changes)('redoes %s', async (_name, before, line) => {
      const expected = await rowsAfter(open, [...before, line])
      const setup = await open()
      const { cli } = setup
      const runChange = commandRunner(setup)
      for (const earlier of before) await runChange(...earlier)
      await connectFor('change', setup, offline)
      await runChange(...line)
      const [change] = await cli.json<Row[]>('undo', '--list')
      const timer = await cli.json<Row | null>('status', '--cached')
      await connectFor('undo', setup, offline)
      await cli.json('undo')
      expect(await cli.json('redo', '--list')).toMatchObject([{ n: 1, what: change?.what }])
      const redone = await cli.run('redo')
      expect(redone).toMatchObject({ status: 0, stderr: expect.stringContaining(`Redid: ${change?.what}.`) })
      expect(redone.stderr).not.toContain('elsewhere')
      expect(await cli.json('redo', '--list')).toEqual([])
      expect((await cli.json<Row[]>('undo', '--list'))[0]).toEqual(change)
      expect(withoutId(await cli.json('status', '--cached'))).toEqual(withoutId(timer))
      await connectFor('end', setup, offline)
      expect(await rowsOf(setup)).toEqual(expected)
      expect(await cli.json('sync', 'list')).toEqual([])
    })

    test('undoes and redoes several changes back and forth', async () => {
      const setup = await open()
      const { cli } = setup
      const runChange = commandRunner(setup)
      const before = await rowsOf(setup)
      await connectFor('change', setup, offline)
      const { id } = (await runChange('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'one')) as Row
      await runChange('edit', String(id), '-n', 'two')
      await runChange('rm', String(id), '--yes')
      await runChange('expenses', 'add', '5', '-n', 'taxi')
      await connectFor('undo', setup, offline)
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
      await connectFor('end', setup, offline)
      expect(sortByContent(await setup.entries())).toEqual(before.entries)
      expect(await setup.expenses()).toMatchObject([{ notes: 'taxi' }])
    })
  })
}

/** Returns the rows without IDs, sorted by content. */
const sortByContent = (rows: Row[]) =>
  contents(rows)
    .map((row) => JSON.stringify(row))
    .sort()

async function rowsOf(setup: TestSetup) {
  return { entries: sortByContent(await setup.entries()), expenses: sortByContent(await setup.expenses()) }
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

/** The rows after commands online, which the tests of one kind of workspace share. */
const expectedRows = new Map<Scenario['open'], SharedResults<Rows>>()

/** Returns the rows after these commands online. */
function rowsAfter(open: Scenario['open'], commands: string[][]): Promise<Rows> {
  const shared = expectedRows.get(open) ?? new SharedResults<Rows>()
  expectedRows.set(open, shared)
  return shared.get(JSON.stringify(commands), async () => {
    const setup = await open()
    const runCommand = commandRunner(setup)
    for (const command of commands) await runCommand(...command)
    return rowsOf(setup)
  })
}
