import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const createTrackedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  for (const line of [
    "Acme/Website/Design --from '2024-05-01 09:00' --to '2024-05-01 10:30' -n 'first page'",
    "Acme/Website/Bookkeeping --from '2024-05-02 23:00' --for 2h -n 'Über 100%'",
    "Internal/Support --from '2024-05-03 13:00' --to 14:15 --external-id T-7",
  ])
    await cli.run('add', ...splitCommandLine(line))
})

describe('add', () => {
  test('rejects invalid times', async () => {
    const cli = createTestCli()
    for (const [times, message] of [
      ['--from 10:00 --to 9:00', 'is not after the start'],
      ['--from 9:00 --to 9:00', 'is not after the start'],
      ['--from 9:00 --for 90', '"90"'],
      ['--from 9:00 --for 0m', '"0m"'],
      ["--from '2024-03-31 02:30' --for 1h", '2024-03-31'],
    ] as const) {
      const rejected = await cli.run('add', 'Website/Design', ...splitCommandLine(times))
      expect(rejected.status).toBe(2)
      expect(rejected.stderr).toContain(message)
    }
    expect(await cli.json('log', '--since', '2024-01-01')).toEqual([])
  })

  test('returns the existing entry for an equal external ID, and adds nothing to the history', async () => {
    const cli = await createTrackedCli()
    const history = await cli.json('undo', '--list')
    const add = ['add', 'support', '--external-id', 'T-7', '--from', '2024-05-03 13:00']
    const again = await cli.json(...add, '--to', '14:15')
    expect(await cli.json('show', '--external-id', 'T-7')).toEqual(again)
    expect(await cli.json('log')).toHaveLength(3)
    const { stderr } = await cli.run(...add, '--to', '14:15')
    expect(stderr).toBe(
      'Nothing was added: entry 3, Internal / Support, 1h 15m (13:00–14:15), has the external ID T-7 and the same content.\n',
    )
    const other = await cli.run(...add, '--to', '14:30')
    expect(other).toMatchObject({ status: 7, stdout: '' })
    expect(other.stderr).toContain('Entry 3 has the external ID T-7 already, with other values: the end is ')
    expect(other.stderr).toContain('Run `tt edit 3` to change it.')
    expect(await cli.json('undo', '--list')).toEqual(history)
  })
})

describe('edit', () => {
  test('says that an entry has the given values already', async () => {
    const cli = await createTrackedCli()
    const { stderr } = await cli.run('edit', '3', '--for', '75m', '--task', 'support')
    expect(stderr).toBe('Entry 3 has these values already: Internal / Support, 1h 15m (13:00–14:15).\n')
  })

  test('changes only the given fields, and a time without a date is on the day of the entry', async () => {
    const cli = await createTrackedCli()
    const edit = (...options: string[]) => cli.json('edit', '@3', ...options)
    expect(await edit('--from', '8:45')).toMatchObject({
      time_start: '2024-05-01T08:45:00+02:00',
      time_end: '2024-05-01T10:30:00+02:00',
      notes: 'first page',
    })
    expect(await edit('--for', '1h')).toMatchObject({ time_end: '2024-05-01T09:45:00+02:00' })
    expect(await edit('--to', '12:00', '--for', '1h')).toMatchObject({
      time_start: '2024-05-01T11:00:00+02:00',
      time_end: '2024-05-01T12:00:00+02:00',
    })
    expect(await edit('--task', 'support', '-n', '')).toMatchObject({ task: 'Support', notes: '' })
  })

  test('without an entry changes the running one, or the last', async () => {
    const cli = await createTrackedCli()
    expect(await cli.json('edit', '-n', 'last')).toMatchObject({ task: 'Support', notes: 'last' })
    await cli.run('start', 'design')
    expect(await cli.json('edit', '-n', 'now')).toMatchObject({ task: 'Design', notes: 'now', running: true })
    expect(await cli.json('status', '--cached')).toMatchObject({ notes: 'now' })
    expect(await cli.json('edit', '@', '--from', '17:00', '--for', '30m')).toMatchObject({ running: false })
    expect(await cli.json('status', '--cached')).toBeNull()
  })

  test('rejects invalid changes, and changes nothing', async () => {
    const cli = await createTrackedCli()
    const before = await cli.json('show', '@1')
    for (const [line, message] of [
      ['@1', 'No changes were specified'],
      ['@1 --from 15:00', 'before the start'],
      ['@1 --from 9:00 --to 10:00 --for 1h', 'together'],
      ['@1 --task 99', 'matches no task'],
    ] as const) {
      const rejected = await cli.run('edit', ...splitCommandLine(line))
      expect(rejected.status).toBe(2)
      expect(rejected.stderr).toContain(message)
    }
    expect(await cli.json('show', '@1')).toEqual(before)
  })
})

describe('show and rm', () => {
  test('reject unknown entries, and delete nothing', async () => {
    const cli = await createTrackedCli()
    for (const [line, status, message] of [
      ['show 999', 3, 'no entry 999'],
      ['show @', 3, 'No timer is running'],
      ['show @9', 3, 'fewer than 9 finished entries'],
      ['show --external-id none', 3, '"none"'],
      ['show a/b', 2, 'is not an entry'],
      ['show', 2, 'Give either ENTRY'],
      ['rm @1 999 --yes', 3, 'no entry 999'],
      ['edit 999', 3, 'There is no entry 999.'],
      ['rm @1', 2, '--yes'],
    ] as const) {
      const outcome = await cli.run(...splitCommandLine(line))
      expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect(await cli.json('log')).toHaveLength(3)
  })

  test('rm deletes each entry once and prints it', async () => {
    const cli = await createTrackedCli()
    const removed = await cli.run('rm', '@1', '@1', '@3', '--yes')
    expect(removed.stderr).toBe(
      'Deleted Internal / Support, 13:00, 1h 15m.\nDeleted Acme / Website / Design, 2024-05-01 09:00, 1h 30m, "first page".\n',
    )
    expect(await cli.json('log')).toHaveLength(1)
  })
})

describe('log', () => {
  test('lists the entries that filters select', { tags: 'slow' }, async () => {
    const cli = await createTrackedCli()
    for (const [filter, tasks] of [
      // The entry of yesterday evening ended today.
      ['today', ['Bookkeeping', 'Support']],
      ['yesterday', ['Bookkeeping']],
      ['--since 2024-05-02', ['Bookkeeping', 'Support']],
      ['--until 2024-05-02', ['Design', 'Bookkeeping']],
      ['--project web --task !design', ['Bookkeeping']],
      ['--client !acme', ['Support']],
      ['--billable', ['Design', 'Bookkeeping']],
      ['--not-billable', ['Support']],
      ['--pending', []],
      ['--running', []],
      ['this week', ['Design', 'Bookkeeping', 'Support']],
      ['yesterday..today', ['Bookkeeping', 'Support']],
      ['all', ['Design', 'Bookkeeping', 'Support']],
      ['1 day --task support', ['Support']],
      ['--notes 100%', ['Bookkeeping']],
      ['--limit 2', ['Bookkeeping', 'Support']],
      ['--where notes_cont=PAGE', ['Design']],
      ['--where time_start_gteq=2024-05-03', ['Support']],
      ['--where external_id_eq=T-7 --where notes_eq=', []],
    ] as const) {
      expect((await cli.json<Row[]>('log', ...splitCommandLine(filter))).map(({ task }) => task)).toEqual(
        tasks,
      )
    }
  })

  test('rejects invalid filters', async () => {
    const cli = await createTrackedCli()
    for (const [filter, status, message] of [
      ['--since nonesuch', 2, '"nonesuch"'],
      ['--since 2024-05-02 --until 2024-05-01', 2, 'is after --until'],
      ['today week', 2, '"today week" is not a period'],
      ['Website', 2, '"Website" is not a period.\nValid formats: 2024-05-01,'],
      ['week --until today', 2, '--until and the period "week" cannot be used together'],
      ['--billable --not-billable', 2, '--not-billable and --billable cannot be used together'],
      ['--where notes', 2, 'notes'],
      ['--where colour_eq=red', 7, 'colour'],
      ['--where time_start_gteq=soon', 2, '"soon" is neither a date nor a time'],
      ['--template {nonesuch}', 2, 'unknown field "nonesuch"'],
    ] as const) {
      const outcome = await cli.run('log', ...splitCommandLine(filter))
      expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    }
  })

  test('--running finds an entry of any age, also where it reaches into a period', async () => {
    const cli = await createTrackedCli()
    cli.setTime('2024-03-01T09:00:00')
    await cli.run('start', 'design')
    cli.setTime('2024-05-03T18:00:00')
    const running = async (...argv: string[]) =>
      (await cli.json<Row[]>('log', '--running', ...argv)).map(({ time_start }) => time_start)
    expect(await running()).toEqual(['2024-03-01T09:00:00+01:00'])
    expect(await running('--where', 'task_link_id_eq=1')).toEqual(['2024-03-01T09:00:00+01:00'])
    expect(await running('--client', '!acme')).toEqual([])
    expect(await running('week')).toEqual(['2024-03-01T09:00:00+01:00'])
    expect(await running('--until', 'feb')).toEqual([])
    expect(await running('--since', 'mar', '--until', 'mar')).toEqual(['2024-03-01T09:00:00+01:00'])
  })

  test('uses week_start and billable from the settings', async () => {
    const cli = await createTrackedCli()
    const tasks = async (...argv: string[]) => (await cli.json<Row[]>('log', ...argv)).map(({ task }) => task)
    await cli.json('config', 'set', 'week_start', 'fri')
    expect(await tasks('week')).toEqual(['Bookkeeping', 'Support'])
    expect(await tasks('--since', 'last week', '--until', 'last week')).toEqual(['Design', 'Bookkeeping'])
    await cli.json('config', 'set', 'billable', '*/*/Design,Internal/*,!*/Internal')
    expect(await tasks('--billable')).toEqual(['Design'])
    expect(await tasks('--not-billable')).toEqual(['Bookkeeping', 'Support'])
  })

  test.each(['1970', '2100'])('lists the entries of the year %s', async (year) => {
    const cli = await createTrackedCli()
    for (const day of [`${year}-01-01`, `${year}-12-31`])
      await cli.json('add', 'design', '--from', `${day} 00:00`, '--to', `${day} 23:59`)
    const found = await cli.json<Row[]>('log', '--since', year, '--until', year)
    expect(found.map(({ time_start }) => time_start)).toEqual([
      `${year}-01-01T00:00:00+01:00`,
      `${year}-12-31T00:00:00+01:00`,
    ])
  })
})

test('tt show and Markdown print the day of each entry', async () => {
  const cli = await createTrackedCli()
  expect((await cli.runInTerminal(80, 'show', '@3')).stdout).toContain('2024-05-01 09:00')
  expect((await cli.run('log', '--markdown', '--limit', '1')).stdout).toContain(
    '| 2024-05-03 13:00 | 14:15 | 1h 15m |',
  )
})
