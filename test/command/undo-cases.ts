import { describe, expect, test } from 'vitest'
import { SharedResults } from '../support/shared-results.js'
import type { Row } from './service-fixtures.js'
import { type Change, changes, commandRunner, type Rows, type Scenario } from './undo-fixtures.js'

/** Opens a scenario, and returns what closes and opens its connection before a step, and at the end. */
async function openScenario({ open, offline }: Scenario) {
  const setup = await open()
  let isOffline = false
  async function connectFor(step: 'change' | 'undo' | 'end') {
    const wasOffline = isOffline
    isOffline = offline.some((each) => each === step)
    if (isOffline && !wasOffline) await setup.goOffline()
    if (wasOffline && !isOffline) await setup.goOnline()
  }
  return { ...setup, runChange: commandRunner(setup), connectFor }
}

/** The parts of a timer that an undo and a redo restore. */
const withoutId = (entry: Row | null) =>
  entry && { notes: entry.notes, start: entry.time_start, task: entry.task }

/** Tests that `tt undo` undoes these changes in this scenario. */
export function describeUndo(scenario: Scenario, undone: readonly Change[] = changes) {
  describe(`tt undo ${scenario.name}`, () => {
    test.each(undone)('undoes %s', async (_name, before, line) => {
      const { cli, rows, runChange, connectFor } = await openScenario(scenario)
      for (const earlier of before) await runChange(earlier)
      const rowsBefore = await rows()
      const timer = await cli.json<Row | null>('status')
      const list = await cli.json('undo', '--list')

      await connectFor('change')
      await runChange(line)
      await connectFor('undo')
      const result = await cli.run('undo')
      expect(result).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: .+\.$/m) })
      expect(result.stderr).not.toContain('elsewhere')
      expect(await cli.json('undo', '--list')).toEqual(list)
      expect(withoutId(await cli.json('status', '--cached'))).toEqual(withoutId(timer))
      await connectFor('end')
      expect(await rows()).toEqual(rowsBefore)
      expect(await cli.json('sync', 'list')).toEqual([])
    })

    test('undoes several changes, and finds deleted and edited entries by their old ID', async () => {
      const { cli, rows, runChange, connectFor } = await openScenario(scenario)
      await connectFor('change')
      const { id } = (await runChange('add design --from 9:00 --for 1h -n one')) as Row
      await runChange(`edit ${id} -n two`)
      await runChange(`edit ${id} --for 2h`)
      await runChange(`rm ${id} --yes`)
      await connectFor('undo')
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
      await connectFor('end')
      expect((await rows()).entries).toEqual([])
      expect(await cli.run('undo')).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('nothing to undo'),
      })
      expect(await cli.run('undo', '3')).toMatchObject({ status: 3 })
    })
  })
}

/** Tests that `tt redo` redoes these changes in this scenario. */
export function describeRedo(scenario: Scenario, redone: readonly Change[]) {
  describe(`tt redo ${scenario.name}`, () => {
    test.each(redone)('redoes %s', async (_name, before, line) => {
      const expected = await rowsAfter(scenario, [...before, line])
      const { cli, rows, runChange, connectFor } = await openScenario(scenario)
      for (const earlier of before) await runChange(earlier)
      await connectFor('change')
      await runChange(line)
      const [change] = await cli.json<Row[]>('undo', '--list')
      const timer = await cli.json<Row | null>('status', '--cached')
      await connectFor('undo')
      await cli.json('undo')
      expect(await cli.json('redo', '--list')).toMatchObject([{ n: 1, what: change?.what }])
      const redone = await cli.run('redo')
      expect(redone).toMatchObject({ status: 0, stderr: expect.stringContaining(`Redid: ${change?.what}.`) })
      expect(redone.stderr).not.toContain('elsewhere')
      expect(await cli.json('redo', '--list')).toEqual([])
      expect((await cli.json<Row[]>('undo', '--list'))[0]).toEqual(change)
      expect(withoutId(await cli.json('status', '--cached'))).toEqual(withoutId(timer))
      await connectFor('end')
      expect(await rows()).toEqual(expected)
      expect(await cli.json('sync', 'list')).toEqual([])
    })

    test('undoes and redoes several changes back and forth', async () => {
      const { cli, rows, runChange, connectFor } = await openScenario(scenario)
      const before = await rows()
      await connectFor('change')
      const { id } = (await runChange('add design --from 9:00 --for 1h -n one')) as Row
      await runChange(`edit ${id} -n two`)
      await runChange(`rm ${id} --yes`)
      await runChange('expenses add 5 -n taxi')
      await connectFor('undo')
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
      await connectFor('end')
      const after = await rows()
      expect(after.entries).toEqual(before.entries)
      expect(after.expenses).toMatchObject([{ notes: 'taxi' }])
    })
  })
}

/** The rows after commands online, which the tests of one kind of workspace share. */
const expectedRows = new Map<Scenario['open'], SharedResults<Rows>>()

/** Returns the rows after these commands online. */
function rowsAfter({ open }: Scenario, lines: string[]): Promise<Rows> {
  const shared = expectedRows.get(open) ?? new SharedResults<Rows>()
  expectedRows.set(open, shared)
  return shared.get(JSON.stringify(lines), async () => {
    const setup = await open()
    const runChange = commandRunner(setup)
    for (const line of lines) await runChange(line)
    return setup.rows()
  })
}
