import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRows } from '../support/database-files.js'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { storeManyEntries } from '../support/stored-entries.js'
import { createSampleRecords } from '../support/team.js'
import type { TestCli } from '../support/test-cli.js'
import { formatEntries, log } from './adjust-fixtures.js'
import type { Row } from './service-fixtures.js'

const now = '2024-05-08T12:00:00Z' // 14:00 local time

/** Creates a `TestCli` with two tasks in the local workspace. */
const createTwoTaskCli = preparedCli(now, createSampleRecords)

/** Creates a `TestCli` with entries, such as "9:00–10:00 notes"; times without a day are of today, a Wednesday. */
async function createCli(...entries: string[]): Promise<TestCli> {
  const cli = await createTwoTaskCli()
  const timeOf = (text: string) => Date.parse(text.includes('-') ? text : `2024-05-08 ${text}`)
  await storeManyEntries(
    join(cli.home, 'workspace.db'),
    entries.map((entry) => {
      const [from = '', to = '', notes = ''] = entry.split(/–| (?=[a-z])/i)
      const startMs = timeOf(from)
      return { startMs, lengthMs: timeOf(to) - startMs, notes: notes === '' ? null : notes }
    }),
  )
  return cli
}

const countEntries = async ({ home }: TestCli) =>
  (await readRows(join(home, 'workspace.db'), 'SELECT id FROM time_entries')).length

describe('tt split', () => {
  test('splits at each time, in any order; the first part has the ID and the external ID', async () => {
    const cli = await createTwoTaskCli()
    await cli.json('add', 'design', '--from', '9:00', '--to', '12:00', '-n', 'x', '--external-id', 'T-1')
    const split = await cli.run('split', '@1', '--at', '11:00', '--at', '10:00', '--at', '10:00')
    expect(split.stderr).toMatchInlineSnapshot(`
      "Split Website / Design into 3 entries:
        entry 1: 1h 00m (09:00–10:00)
        entry 2: 1h 00m (10:00–11:00)
        entry 3: 1h 00m (11:00–12:00)
      "
    `)
    const rows = await cli.json<Row[]>('log')
    expect(formatEntries(rows)).toEqual(['09:00–10:00 x', '10:00–11:00 x', '11:00–12:00 x'])
    expect(rows.map(({ id, external_id, task }) => ({ id, external_id, task }))).toEqual([
      { id: 1, external_id: 'T-1', task: 'Design' },
      { id: 2, external_id: null, task: 'Design' },
      { id: 3, external_id: null, task: 'Design' },
    ])
  })

  test('accepts a time after midnight within the entry, and returns the list of parts', async () => {
    const cli = await createCli('2024-05-06 22:00–2024-05-07 03:00')
    const parts = await cli.json<Row[]>('split', '@1', '--at', '23:30', '--at', '1:00')
    expect(parts.map(({ time_start }) => time_start)).toEqual([
      '2024-05-06T22:00:00+02:00',
      '2024-05-06T23:30:00+02:00',
      '2024-05-07T01:00:00+02:00',
    ])
    expect(parts.map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('rejects times that are not within the entry, and changes nothing', async () => {
    const cli = await createCli('9:00–12:00')
    for (const [options, message] of [
      ['', 'Missing required option --at <time>.'],
      ['--at 8:00', '08:00 is not within entry 1 (09:00–12:00).'],
      ['--at 9:00', 'is not within'],
      ['--at 12:00', 'is not within'],
      ["--at 10:00 --at '2024-05-07 10:00'", '2024-05-07 10:00 is not within'],
      ['--at soon', '"soon"'],
    ] as const)
      expect(await cli.run('split', '1', ...splitCommandLine(options)), options).toMatchObject({
        ...{ status: 2, stderr: expect.stringContaining(message) },
      })
    expect(await log(cli)).toEqual(['09:00–12:00'])
    expect(await cli.run('split', '99', '--at', '10:00')).toMatchObject({ status: 3 })
  })
})

describe('tt join', () => {
  test('merges several entries, given in any order', async () => {
    const cli = await createCli('9:00–10:00 a', '10:00–11:00 b', '11:00–12:00 a')
    const joined = await cli.run('join', '3', '1', '@2', '1')
    expect(joined).toMatchObject({
      status: 0,
      stderr: 'Joined 3 entries into entry 1: Website / Design, 3h 00m (09:00–12:00).\n',
    })
    expect(await log(cli)).toEqual(['09:00–12:00 a; b'])
    expect(await cli.json('undo', '--list')).toMatchObject([{ what: 'Joined 3 entries of Website / Design' }])
  })

  test('requires --yes to add untracked time or to merge overlapping time', async () => {
    const cli = await createCli('9:00–10:00', '10:30–12:00', '11:45–13:00')
    await cli.json('add', 'Website/Review', '--from', '10:10', '--to', '10:20')
    const line = ['join', '1', '2', '3', '-n', 'all of it']
    const rejected = await cli.run(...line)
    expect(rejected.status).toBe(2)
    expect(rejected.stderr).toMatchInlineSnapshot(`
      "error: Nothing was tracked from 10:00 to 10:30 (30m): the merged entry includes it.
      15m from 11:45 on are tracked twice: they count once.
      It overlaps entry 4, Website / Review, 10m (10:10–10:20).
      Confirmation required: Join 3 entries of Website / Design. Cannot prompt: not running in a terminal.
      Add --yes to confirm.
      "
    `)
    expect(await log(cli)).toHaveLength(4)
    const joined = await cli.run(...line, '--yes')
    expect(joined.stderr).toContain('Nothing was tracked from 10:00 to 10:30')
    expect(await log(cli)).toEqual(['09:00–13:00 all of it', '10:10–10:20'])
  })

  test('merges entries of different tasks only with --task', async () => {
    const cli = await createCli('9:00–10:00')
    await cli.json('add', 'Website/Review', '--from', '10:00', '--to', '11:00')
    const rejected = await cli.run('join', '1', '2')
    expect(rejected).toMatchObject(rejection(2, '--task'))
    expect(await cli.json('join', '1', '2', '--task', 'review')).toMatchObject({ id: 1, task: 'Review' })
    expect(await cli.json('log')).toHaveLength(1)
  })

  test('rejects a single entry', async () => {
    const cli = await createCli('9:00–10:00')
    for (const entries of ['1', '1 1', '1 @1'])
      expect(await cli.run('join', ...entries.split(' '))).toMatchObject(rejection(2, 'At least two entries'))
  })
})

test('an entry that is split and joined again is unchanged', { tags: 'slow' }, async () => {
  const random = new SeededRandom(`${chooseSeed('adjust')} split`)
  const cli = await createTwoTaskCli()
  // The night of a clock change.
  const [from, to] = ['2024-10-26T20:00:00Z', '2024-10-27T04:30:00Z']
  cli.setTime('2024-10-28T09:00:00Z')
  const { id } = await cli.json('add', 'design', '--from', from, '--to', to, '-n', 'x')
  for (let round = 0; round < 10; round++) {
    const cut = () => new Date(Date.parse(from) + random.between(1, 8.5 * 3600 - 1) * 1000)
    const cuts = [...new Set(Array.from({ length: random.between(1, 4) }, cut).map((at) => at.toISOString()))]
    const parts = await cli.json<Row[]>('split', String(id), ...cuts.flatMap((at) => ['--at', at]))
    const bounds = parts.map((part) => [part.time_start, part.time_end].map((at) => Date.parse(String(at))))
    expect(bounds.map(([, end]) => end)).toEqual([...cuts.map((at) => Date.parse(at)).sort(), Date.parse(to)])
    expect(bounds.map(([start]) => start)).toEqual([
      Date.parse(from),
      ...bounds.slice(0, -1).map(([, end]) => end),
    ])
    const joined = await cli.json('join', ...parts.map((part) => String(part.id)))
    expect(joined).toMatchObject({ id, notes: 'x', duration_seconds: 8.5 * 3600 })
    expect(await countEntries(cli)).toBe(1)
  }
})

describe('tt fill', () => {
  test.each([
    ['extends the entry to its neighbours', '8:00–9:30, 11:00–12:00', '10:00–10:15', '', '09:30–11:00'],
    [
      'extends only the start with --before',
      '9:00–9:30, 11:00–12:00',
      '10:00–10:15',
      '--before',
      '09:30–10:15',
    ],
    ['extends only the end with --after', '9:00–9:30, 11:00–12:00', '10:00–10:15', '--after', '10:00–11:00'],
    [
      'extends both sides with both options, also outside of working hours',
      '5:00–6:00, 8:00–8:30',
      '7:00–7:15',
      '--before --after',
      '06:00–08:00',
    ],
    ['extends within working hours and up to now', '', '10:00–10:15', '', '09:00–14:00'],
    [
      'does not extend a side with an overlapping entry',
      '9:00–10:10, 10:14–12:00',
      '10:00–10:15',
      '',
      '10:00–10:15',
    ],
    [
      'ignores entries within the entry',
      '9:00–9:30, 10:05–10:10, 11:00–11:30',
      '10:00–10:15',
      '',
      '09:30–11:00',
    ],
    [
      'does not extend the start across midnight',
      '2024-05-07 20:00–2024-05-07 23:00',
      '1:00–1:15',
      '--before',
      '01:00–01:15',
    ],
    [
      'extends the start outside of working hours to an entry that ended after midnight',
      '2024-05-07 20:00–0:30',
      '1:00–1:15',
      '--before',
      '00:30–01:15',
    ],
    [
      'does not extend the end across midnight',
      '0:30–1:00',
      '2024-05-07 22:00–2024-05-07 23:00',
      '--after',
      '22:00–23:00',
    ],
    [
      'extends no side outside of working hours without an option',
      '6:00–6:30, 8:00–8:30',
      '7:00–7:15',
      '',
      '07:00–07:15',
    ],
    [
      'extends the end in working hours when the start is before them',
      '6:00–8:00',
      '8:30–9:30',
      '',
      '08:30–14:00',
    ],
    ['does not extend an entry that ends in the future', '', '13:30–16:00', '--after', '13:30–16:00'],
  ])('%s', async (_, others, entry, options, filled) => {
    const entries = [...(others === '' ? [] : others.split(', ')), entry]
    const cli = await createCli(...entries)
    const argv = [...(options === '' ? [] : options.split(' ')), '--yes']
    expect(formatEntries([await cli.json('fill', String(entries.length), ...argv)])).toEqual([filled])
    expect(await countEntries(cli)).toBe(entries.length)
  })

  test('prints the filled time, or that there is nothing to fill', async () => {
    const cli = await createCli('9:00–9:30', '10:00–10:15')
    expect((await cli.run('fill', '2', '--yes')).stderr).toBe(
      'Filled 30m before (09:30–10:00) and 3h 45m after (10:15–14:00) entry 2, Website / Design: 4h 30m (09:30–14:00).\n',
    )
    expect(await cli.run('fill', '2')).toMatchObject({
      status: 0,
      stderr: 'Nothing to fill around entry 2, Website / Design: 4h 30m (09:30–14:00).\n',
    })
    expect((await cli.run('undo')).stderr).toContain('Undid: Filled the time around Website / Design.')
    expect(await log(cli)).toEqual(['09:00–09:30', '10:00–10:15'])
  })

  test('does not extend an entry of a Saturday without an option', async () => {
    const cli = await createCli('2024-05-11 9:00–2024-05-11 9:30')
    cli.setTime('2024-05-11T20:28:00')
    expect(formatEntries([await cli.json('fill', '1')])).toEqual(['09:00–09:30'])
    expect(formatEntries([await cli.json('fill', '1', '--after', '--yes')])).toEqual(['09:00–20:28'])
  })

  test('prompts above one hour', async () => {
    const cli = await createCli('9:00–9:30', '10:00–13:30')
    expect(formatEntries([await cli.json('fill', '2')])).toEqual(['09:30–14:00'])
    await cli.json('undo')
    cli.setTime('2024-05-08T14:01:00')
    const rejected = await cli.run('fill', '2')
    expect(rejected).toMatchObject(rejection(2, '--yes'))
    expect(rejected.stderr).toContain('by 1h 01m: 30m before (09:30–10:00) and 31m after (13:30–14:01).')
    expect(await log(cli)).toEqual(['09:00–09:30', '10:00–13:30'])
  })

  test('extends only the start of a running timer', async () => {
    const cli = await createCli('9:00–12:00')
    await cli.json('start', 'review', '--at', '13:00')
    expect(await cli.json('fill', '@')).toMatchObject({
      running: true,
      time_start: '2024-05-08T12:00:00+02:00',
    })
  })

  test('does not extend across a break in the working hours', async () => {
    const cli = await createCli('9:00–11:30', '13:15–13:30')
    await cli.run('config', 'set', 'working_hours', '9:00-12:00,13:00-17:00')
    expect(formatEntries([await cli.json('fill', '@1', '--before')])).toEqual(['13:00–13:30'])
    expect(formatEntries([await cli.json('fill', '@2', '--after', '--yes')])).toEqual(['09:00–12:00'])
  })
})

test('tt edit of several entries rejects times', async () => {
  const cli = await createCli('9:00–10:00', '10:00–11:00')
  for (const option of ['--from 9:00', '--to 9:00', '--for 1h'])
    expect(await cli.run('edit', '@1', '@2', ...option.split(' '))).toMatchObject(
      rejection(2, 'apply to one entry, not to 2'),
    )
})
