import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EntryJson } from '../../src/records/shapes/entries.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'

/** Returns the times of an entry as local text. */
const timesOf = ({ time_start: start, time_end: end }: EntryJson) =>
  [start, end].map((time) => time?.slice(0, 'YYYY-MM-DDTHH:MM'.length)).join(' ')

/** Creates a workspace on 2024-05-01 at 15:00 with one task, and an entry until 11:00. */
const createCli = preparedCli('2024-05-01T15:00:00', (cli) =>
  cli.json('add', 'Website/Design', '10:00-11:00', '-n', 'first'),
)

/** Creates a `TestCli` with nine tasks; the last one has the ID 9. */
const createManyTaskCli = preparedCli('2024-05-01T15:00:00', async (cli) => {
  await cli.json('add', 'Website/Design', '10:00-11:00', '-n', 'first')
  for (const name of 'abcdefgh') await cli.json('add', `Website/Task ${name}`, '1m', '--create')
})

describe('tt add', () => {
  test.each<[argv: string[], times: string]>([
    [['8', '-', '9'], '2024-05-01T08:00 2024-05-01T09:00'],
    [['2h'], '2024-05-01T13:00 2024-05-01T15:00'],
    [['yesterday', '14:00-15:30'], '2024-04-30T14:00 2024-04-30T15:30'],
    [['last-12:30'], '2024-05-01T11:00 2024-05-01T12:30'],
    [['1h', '--to', '14:00'], '2024-05-01T13:00 2024-05-01T14:00'],
    [['1h', '--from', 'last'], '2024-05-01T11:00 2024-05-01T12:00'],
    [['--for', '30m'], '2024-05-01T14:30 2024-05-01T15:00'],
  ])('takes the times %j', async (argv, times) => {
    const cli = await createCli()
    expect(timesOf(await cli.json<EntryJson>('add', 'design', ...argv))).toBe(times)
  })

  test.each([
    ['15:00:20', '2024-05-01T13:00:20+', ''],
    ['14:58:00', '2024-05-01T13:00:40+', 'Overlap'],
  ])(
    'a duration alone ends at the last whole second, or where a timer began less than a minute ago: at %s',
    async (at, start, warning) => {
      const cli = await createCli()
      cli.setTime(`2024-05-01T${at}`)
      await cli.json('start', 'design')
      cli.setTime('2024-05-01T15:00:40.750')
      const { stdout, stderr } = await cli.run('add', 'design', '2h', '--json')
      expect(JSON.parse(stdout)).toMatchObject({
        time_start: expect.stringContaining(start),
        duration_seconds: 2 * 3600,
      })
      expect(stderr).toContain(warning)
      if (!warning) expect(stderr).not.toContain('Overlap')
    },
  )

  test.each([
    ['9', '--from', '9', '--to', '10'],
    ['9', '9-10'],
    ['9', '9:00', '-', '10'],
    ['9', '9-10', '-n', '9-11'],
    ['9', '1h', '--to', '10'],
  ])('reads the ID of a task before the times %j', async (...argv) => {
    const cli = await createManyTaskCli()
    const entry = await cli.json<EntryJson>('add', ...argv)
    expect([entry.task, timesOf(entry)]).toEqual(['Task h', '2024-05-01T09:00 2024-05-01T10:00'])
  })

  test('rejects other words', async () => {
    const cli = await createCli()
    for (const [argv, message] of [
      [['design'], 'An entry needs a start and an end, or a duration.'],
      [['design', '--from', '9:00'], 'An entry needs a start and an end, or a duration.'],
      [['design', '9am'], '"9am" is a time without an end.'],
      [['design', '1:30'], '"1:30" can be a time or a duration.\nWrite 1h30m for the duration'],
      [['design', '1-3pm'], '"1-3pm" can be 01:00-15:00 or 13:00-15:00.'],
      [['design', 'yesterday'], '"yesterday" is neither a start and an end nor a duration.'],
      [['design', '9:00-11:00', '--to', '12:00'], 'Too many times'],
      [['design', '--from', '9', '--to', '11', '--for', '2h'], 'Too many times'],
      [['design', 'yesterdy', '9:00-10:00'], '"yesterdy" is not a day. Did you mean yesterday?'],
      [['design', 'yesterday', '2h'], 'or --from "yesterday 9:00" --for 2h.'],
      [['2h'], 'No task was given.\nRun `tt tasks` to list the tasks. To create one, use --create'],
      [[], 'An entry needs a start and an end, or a duration.'],
    ] as const) {
      const { status, stderr } = await cli.run('add', ...argv)
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
    }
    expect(await cli.json('log', 'all')).toHaveLength(1)
  })

  test('takes the task of the directory file for times alone', async () => {
    const cli = await createCli()
    writeFileSync(join(cli.home, '.tt.json'), '{"task": "Website/Design", "notes": "at home"}')
    expect(timesOf(await cli.json<EntryJson>('add', 'yesterday', '9-11'))).toBe(
      '2024-04-30T09:00 2024-04-30T11:00',
    )
    expect(await cli.json<EntryJson>('add', '2h')).toMatchObject({ task: 'Design', notes: 'at home' })
    expect(await cli.json<EntryJson>('add', 'Blog/Text', 'yesterday', '13-14')).toMatchObject({
      task: 'Text',
    })
    writeFileSync(join(cli.home, '.tt.json'), '{"task": "Nonesuch"}')
    expect((await cli.run('add', '5m')).stderr).toContain('Using task from')
  })
})

test('--at last starts at the end of the last entry', async () => {
  const cli = await createCli()
  expect(await cli.json('start', 'design', '--at', 'last')).toMatchObject({
    time_start: expect.stringContaining('2024-05-01T11:00:00'),
  })
  await cli.json('stop', '--at', '12:00')
  expect(await cli.json('continue', '--at', 'Last')).toMatchObject({
    time_start: expect.stringContaining('2024-05-01T12:00:00'),
  })
  expect(await createTestCli().run('start', 'Website/Design', '--at', 'last')).toMatchObject({ status: 3 })
})

describe('tt edit --append-notes', () => {
  test('appends after a semicolon, and is one change for tt undo', async () => {
    const cli = await createCli()
    expect(await cli.json('edit', '@1', '--append-notes', 'call with Ada')).toMatchObject({
      notes: 'first; call with Ada',
    })
    await cli.json('add', 'design', '12-13')
    expect(await cli.json('edit', '1', '2', '--append-notes', '#logo', '--yes')).toMatchObject([
      { notes: 'first; call with Ada; #logo' },
      { notes: '#logo' },
    ])
    await cli.json('undo')
    const notes = (await cli.json<EntryJson[]>('log')).map((entry) => entry.notes)
    expect(notes).toEqual(['first; call with Ada', null])
  })

  test('cannot be used together with --notes', async () => {
    const { status, stderr } = await (await createCli()).run('edit', '@1', '-n', 'a', '--append-notes', 'b')
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--append-notes') })
  })
})
