import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../../src/import-export/import/formats.js'
import { stopMonotonicClock } from '../support/monotonic-clock.js'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest, noFault } from '../support/proxy.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

const fixture = (name: string) => new URL(`../unit/import-export/import/fixtures/${name}`, import.meta.url)

/** Copies fixtures of other time trackers to the home of the test. */
function copyFixtures(cli: TestCli, ...names: string[]) {
  for (const name of names) copyFileSync(fixture(name), join(cli.home, name))
}

function write(cli: TestCli, name: string, ...lines: string[]) {
  writeFileSync(join(cli.home, name), `${lines.join('\n')}\n`)
}

/** Creates a `TestCli` with two entries on 2024-05-01 and the exports of other time trackers. */
const createCli = preparedCli('2024-05-10T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '2024-05-01 10:00', '--for', '1h', '-n', 'own')
  await cli.json('add', 'Acme/Website/Review', '--from', '2024-05-01 17:00', '--for', '1h')
  copyFixtures(cli, 'toggl.csv', 'harvest.csv', 'frames', 'timewarrior.json')
})

const entries = (cli: TestCli) => cli.json<Record<string, unknown>[]>('log', '--since', '2020-01-01')

/** Previews the import of a file, with a task for entries without one. */
async function preview(cli: TestCli, name: string, ...options: string[]) {
  const { files } = await cli.json<{ files: Record<string, unknown>[] }>(
    ...['import', name, '--task', 'Talks', '--dry-run', ...options],
  )
  return files[0]
}

const togglHeader =
  'User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags'
const togglRow = (
  day: string,
  start: string,
  end: string,
  { client = 'Acme', project = 'Website', task = 'Design', notes = '' } = {},
) => `Ada,,${client},${project},${task},${notes},No,${day},${start}:00,${day},${end}:00,,`

test('an entry that spans a hundred existing ones is imported', { tags: 'slow' }, async () => {
  const cli = await createCli()
  const header = 'project,task,start,end'
  const row = 'P,T,2024-03-01 08:00,2024-03-01 08:30'
  write(cli, 'half-hours.csv', header, ...Array<string>(100).fill(row))
  write(cli, 'long.csv', header, 'P,T,2024-02-01 08:00,2024-04-30 09:00')
  await cli.run('import', 'half-hours.csv', '--yes')
  const { stderr } = await cli.run('import', 'long.csv', '--yes')
  expect(stderr).toContain('Imported 1 entry from long.csv.')
})

describe('the preview', () => {
  test('prints the format, the entries, the names, overlaps and notes', async () => {
    const cli = await createCli()
    const { status, stdout, stderr } = await cli.run('import', 'toggl.csv', '--task', 'Talks', '--dry-run')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatchInlineSnapshot(`
      "toggl.csv: Toggl Track, detailed report as CSV, or JSON of its API
        Entries   3, 2024-05-01 to 2024-05-02, 2h 45m
        Import    3 new entries
        Clients   1 existing: Acme
        Projects  1 new: Calls
                  1 existing: Acme / Website
        Tasks     1 new: Talks
                  1 existing: Design
        Overlaps  1 new entry overlaps an existing one:
                  line 2 (2024-05-01 09:30–10:30) and entry 1 (2024-05-01 10:00–11:00)
        Note      Amounts are not imported: tt computes them from the hourly rates in its settings.
      "
    `)
  })

  test('names new records that are probably typos of existing ones', async () => {
    const cli = await createCli()
    write(
      cli,
      'report.csv',
      togglHeader,
      togglRow('2024-05-02', '9:00', '10:00', { client: 'Acme', project: 'Webiste', task: 'Desing' }),
      togglRow('2024-05-02', '10:00', '11:00', { client: 'Acme', project: 'Webiste', task: 'Design' }),
      togglRow('2024-05-02', '11:00', '12:00', { client: 'Acme', project: 'Website', task: 'Sprint 2' }),
    )
    const { stdout } = await cli.run('import', 'report.csv', '--dry-run')
    expect(stdout).toContain(`
  Projects  1 new: Acme / Webiste
            1 existing: Acme / Website
  Tasks     2 new: Desing, Sprint 2
            1 existing: Design
  Similar   the new project Webiste and the existing Website
            the new task Desing and the existing Design
`)
  })

  test('prints what cannot be read, is skipped or has no task, and exits like the import', async () => {
    const cli = await createCli()
    write(
      cli,
      'report.csv',
      togglHeader,
      togglRow('2024-05-02', '9:00', '10:00'),
      togglRow('2024-13-02', '9:00', '10:00'),
      togglRow('2024-05-02', '11:00', '11:30', { task: '' }),
    )
    const { status, stdout, stderr } = await cli.run('import', 'report.csv', '--dry-run')
    expect(status).toBe(2)
    expect(stdout).toMatchInlineSnapshot(`
      "report.csv: Toggl Track, detailed report as CSV, or JSON of its API
        Entries   2, 2024-05-02, 1h 30m
        Import    2 new entries
        Clients   1 existing: Acme
        Projects  1 existing: Acme / Website
        Tasks     1 existing: Design
        No task   Acme / Website (1 entry, 30m)
        Invalid   report.csv:3:10: End date is "2024-13-02", not a date such as 2024-05-01.
      "
    `)
    expect(stderr).toMatchInlineSnapshot(`
      "error: 1 row of report.csv cannot be imported.
      Correct these rows, or add --skip-invalid to import the other entries.
      "
    `)
    expect(
      await cli.run('import', 'report.csv', '--dry-run', '--skip-invalid', '--task', 'Design'),
    ).toMatchObject({
      status: 7,
      stderr: 'error: 1 row of report.csv cannot be imported.\n',
    })
  })

  test('lists at most 10 unreadable rows and combinations, and the number of the others', async () => {
    const cli = await createCli()
    const rows = Array.from({ length: 15 }, (_, index) => [
      togglRow('2024-05-02', '9:00', 'x', { project: '', task: `T${index}` }),
      togglRow('2024-05-02', '9:00', '9:30', { project: '', task: `T${index}` }),
    ])
    write(cli, 'many.csv', togglHeader, ...rows.flat())
    const { stdout } = await cli.run('import', 'many.csv', '--dry-run')
    expect(stdout.match(/many\.csv:\d+:\d+:/g)).toHaveLength(10)
    expect(stdout.match(/Acme \/ T\d+ \(/g)).toHaveLength(10)
    expect(stdout.match(/and 5 more/g)).toHaveLength(2)
  })

  test('names entries without a project by their tags', async () => {
    const cli = await createCli()
    const { stdout } = await cli.run('import', 'timewarrior.json', '--dry-run')
    expect(stdout).toContain('tags Acme, front end (1 entry, 1h 00m)')
    expect(stdout).toContain('entries without project or tags (2 entries, 1h 00m)')
  })

  test('prints with --json the numbers, names and overlaps of each file, and changes nothing', async () => {
    const cli = await createCli()
    const before = await entries(cli)
    expect(await cli.json('import', 'toggl.csv', '--task', 'Talks', '--dry-run')).toMatchObject({
      ...{ dry_run: true, created: 0, updated: 0, pending: 0, rejected: 0 },
      files: [
        {
          ...{ file: 'toggl.csv', format: 'toggl', entries: 3, seconds: 9915, running: 0, result: null },
          ...{ first: '2024-05-01T09:30:00+02:00', last: '2024-05-02T09:00:00+02:00' },
          actions: { create: 3, update: 0 },
          combinations: [{ task_link_id: 1 }, { new_task_link: { project: 'Calls', task: 'Talks' } }],
          created: { clients: [], projects: ['Calls'], tasks: ['Talks'] },
          matched: { clients: ['Acme'], projects: ['Acme / Website'], tasks: ['Design'] },
          overlaps: { count: 1, examples: [{ line: 2, entry: '1' }] },
          people: [{ name: 'ada@example.com', entries: 3 }],
        },
      ],
    })
    expect(await entries(cli)).toEqual(before)
    expect(await cli.json('projects')).toHaveLength(1)
    const files = readdirSync(cli.home, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => /imports[/\\]./.test(name))).toEqual([])
  })

  test('reads standard input', async () => {
    const cli = await createCli()
    const text = readFileSync(fixture('toggl.csv'))
    const { stdout, status } = await cli.runWithInput(text, 'import', '-', '--dry-run', '--task', 'Talks')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^standard input: Toggl Track/)
  })
})

describe('options of the source', () => {
  test.each([
    [['--since', '2024-05-02'], 1, 2],
    [['--until', '2024-05-01'], 2, 1],
  ])('%j selects entries by their start', async (options, count, others) => {
    const cli = await createCli()
    expect(await preview(cli, 'toggl.csv', ...options)).toMatchObject({
      entries: count,
      skipped: [{ reason: 'entries outside the period', count: others }],
    })
  })

  test('--person selects the entries of one user, and is required for those of several', async () => {
    const cli = await createCli()
    expect(await cli.run('import', 'harvest.csv', '--dry-run')).toMatchObject({
      status: 2,
      stderr:
        'error: harvest.csv has entries of 2 people: Ada Lovelace (4), Grace Hopper (1).\nChoose one with --person NAME.\n',
    })
    expect(await preview(cli, 'harvest.csv', '--person', 'grace hopper')).toMatchObject({ entries: 1 })
    expect(await cli.run('import', 'harvest.csv', '--dry-run', '--person', 'Grace Hoper')).toMatchObject(
      rejection(2, 'harvest.csv has no entries of "Grace Hoper". Did you mean Grace Hopper?'),
    )
    expect(await cli.run('import', 'frames', '--dry-run', '--person', 'Ada')).toMatchObject({
      status: 2,
      stderr: 'error: frames does not say whose entries it contains.\nOmit --person.\n',
    })
  })

  test('--date-order decides dates that can be read in two ways', async () => {
    const cli = await createCli()
    write(cli, 'jobs.csv', 'Start,End,Project,Task', '03/04/2024 9:00,03/04/2024 10:00,Website,Design')
    expect(await cli.run('import', 'jobs.csv', '--dry-run')).toMatchObject({
      status: 2,
      stderr:
        'error: jobs.csv: The order of day and month is unknown: 03/04/2024 can be read in two ways.\n' +
        'Add --date-order day-month or --date-order month-day.\n',
    })
    for (const [order, day] of [
      ['day-month', '2024-04-03'],
      ['month-day', '2024-03-04'],
    ] as const) {
      const { stdout } = await cli.run('import', 'jobs.csv', '--dry-run', '--date-order', order)
      expect(stdout).toContain(`Entries   1, ${day}, 1h 00m`)
    }
  })

  test('--columns names the columns of other CSV files', async () => {
    const cli = await createCli()
    write(cli, 'jobs.csv', 'From then,Until,Job,What', '2024-04-03 9:00,2024-04-03 10:00,Website,Design')
    expect((await cli.run('import', 'jobs.csv', '--dry-run')).stderr).toContain(
      'Name the columns, such as --columns start=From,end=Until,project=Job.',
    )
    const columns = ['--columns', 'start=From then,end=Until,project=Job,task=What']
    expect((await cli.run('import', 'jobs.csv', '--dry-run', ...columns)).stdout).toContain(
      '1 existing: Acme / Website',
    )
    expect(await cli.run('import', 'toggl.csv', '--dry-run', '--format', 'toggl', ...columns)).toMatchObject(
      rejection(2, '--columns is for other CSV files'),
    )
  })

  test('--encoding reads files of older programs', async () => {
    const cli = await createCli()
    const row = togglRow('2024-05-02', '9:00', '10:00', { client: 'Müller' })
    writeFileSync(join(cli.home, 'old.csv'), Buffer.from(`${togglHeader}\n${row}\n`, 'latin1'))
    expect(await cli.run('import', 'old.csv', '--dry-run')).toMatchObject(
      rejection(2, 'add --encoding windows-1252'),
    )
    expect((await cli.run('import', 'old.csv', '--dry-run', '--encoding', 'windows-1252')).stdout).toContain(
      '1 new: Müller',
    )
  })

  test('--format requires that format, and every known format is accepted', async () => {
    const cli = await createCli()
    expect(await cli.run('import', 'frames', '--format', 'klog')).toMatchObject(
      rejection(2, 'frames does not have the format klog'),
    )
    for (const format of formatNames)
      expect((await cli.run('import', 'nonesuch', '--format', format)).stderr).toContain(
        'nonesuch does not exist.',
      )
  })

  test.each([
    [['toggl.csv', 'toggl.csv'], 'toggl.csv was given twice.'],
    [['nonesuch.csv'], 'nonesuch.csv does not exist.'],
    [
      ['toggl.csv', '--since', '2024-05-02', '--until', '2024-05-01'],
      '--since (2024-05-02) is after --until',
    ],
    [['toggl.csv', '--format', 'togl'], 'Did you mean toggl?'],
    [['toggl.csv', '--encoding', 'latin1'], '"latin1" is not one of utf-8 and windows-1252.'],
    [['toggl.csv', '--date-order', 'dmy'], '"dmy" is not one of day-month and month-day.'],
    [['toggl.csv', '--end-open', 'later'], '"later" is not an end of open entries.'],
  ])('%j is an error', async (argv, message) => {
    const cli = await createCli()
    expect(await cli.run('import', ...argv)).toMatchObject(rejection(2, message))
  })
})

describe('entries without an end', () => {
  const open = ['2020-05-26', '  8:00 - ? #old', '', '2024-05-10', '  9:00 - ? #first', '']
  const last = ['2024-05-10', '  10:30 - ? #last']

  /** Imports a klog file, and returns the output and the new entries. */
  async function importOpen(cli: TestCli, lines: string[], ...options: string[]) {
    write(cli, 'open.klg', ...lines)
    const argv = ['import', 'open.klg', '--task', 'Acme/Website/Design', '--yes', ...options]
    const { stderr } = await cli.run(...argv)
    const imported = (await entries(cli))
      .filter(({ notes }) => String(notes).startsWith('#'))
      .map(({ notes, time_start, time_end }) => [notes, time_start, time_end])
    return { stderr, imported }
  }

  test('are skipped, except for the last one of today, which becomes the running timer', async () => {
    const cli = await createCli()
    const { stderr, imported } = await importOpen(cli, [...open, ...last])
    expect(imported).toEqual([['#last', '2024-05-10T10:30:00+02:00', null]])
    expect(stderr).toContain(
      'Not imported: entries without an end that are not of today (1; --end-open sets their end), ' +
        'further entries without an end (1; --end-open sets their end).',
    )
    expect(await cli.json('status')).toMatchObject({ running: true, notes: '#last' })
  })

  test('are skipped while a timer is running, also one of the same import', async () => {
    const cli = await createCli()
    await cli.run('start', 'Acme/Website/Review', '--at', '11:00')
    const { stderr, imported } = await importOpen(cli, last)
    expect(imported).toEqual([])
    expect(stderr).toContain('1 without an end while another timer is running (--end-open sets its end)')
    await cli.run('stop')
    write(
      cli,
      'current.json',
      '[{"id": "current", "project": "Website", "start": "2024-05-10T11:30:00+02:00", "stop": "2024-05-10T12:00:00+02:00", "tags": []}]',
    )
    write(cli, 'open.timeclock', 'i 2024-05-10 11:45:00 Acme:Website:Design')
    const files = ['open.klg', 'current.json', 'open.timeclock']
    const preview = await cli.json<{ files: { actions: Record<string, number> }[] }>(
      ...['import', ...files, '--task', 'Acme/Website/Design', '--dry-run'],
    )
    expect(preview.files.map(({ actions }) => [actions.create, actions.second_timer])).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ])
    await cli.run('import', ...files, '--task', 'Acme/Website/Design', '--yes')
    const running = (await entries(cli)).filter(({ time_end }) => time_end === null)
    expect(running.map(({ notes }) => notes)).toEqual(['#last'])
  })

  test('end as --end-open says, but not after now', async () => {
    const [old, first, latest] = [
      ['#old', '2020-05-26T08:00:00+02:00'],
      ['#first', '2024-05-10T09:00:00+02:00'],
      ['#last', '2024-05-10T10:30:00+02:00'],
    ]
    const byTime = await importOpen(await createCli(), [...open, ...last], '--end-open', '17:00')
    const noon = '2024-05-10T12:00:00+02:00'
    expect(byTime.imported.toSorted()).toEqual([
      [...first, noon],
      [...latest, noon],
      [...old, '2020-05-26T17:00:00+02:00'],
    ])
    const byDuration = await importOpen(await createCli(), [...open, ...last], '--end-open', '1h')
    expect(byDuration.imported.toSorted()).toEqual([
      [...first, '2024-05-10T10:00:00+02:00'],
      [...latest, '2024-05-10T11:30:00+02:00'],
      [...old, '2020-05-26T09:00:00+02:00'],
    ])
    const early = await importOpen(await createCli(), [...open, ...last], '--end-open', '9:30')
    expect(early.imported.map(([notes]) => notes).sort()).toEqual(['#first', '#old'])
    expect(early.stderr).toContain('entries without an end that begin after the chosen one (1)')
  })

  test('are all skipped with --end-open skip', async () => {
    const { stderr, imported } = await importOpen(await createCli(), [...open, ...last], '--end-open', 'skip')
    expect(imported).toEqual([])
    expect(stderr).toContain('contains no entries, except skipped ones: entries without an end (3).')
  })
})

describe('an import that cannot start', () => {
  test('names the combinations without a task, and the command that writes a mapping file', async () => {
    const cli = await createCli()
    const { status, stderr } = await cli.run('import', 'frames', '--yes')
    expect(status).toBe(2)
    expect(stderr).toMatchInlineSnapshot(`
      "error: No task is known for 1 combination of names. Nothing was imported.
        website (1 entry, 1h 00m)
      Run \`tt import frames --map-template map.csv\`, fill in the column tt_task, and import with --map map.csv. Or use --task NAME for all entries without a task.
      "
    `)
    expect(await cli.run('import', 'timewarrior.json', '--yes')).toMatchObject({
      stderr: expect.stringContaining('Or use --task Project/Task for all entries without a task.'),
    })
  })

  test('requires --yes without a terminal', async () => {
    const cli = await createCli()
    const { status, stderr } = await cli.run('import', 'toggl.csv', '--task', 'Talks')
    expect(status).toBe(2)
    expect(stderr).toMatch(/^error: Confirmation required: Import 3 entries from toggl.csv. Cannot prompt/)
    expect(stderr).toContain(
      'toggl.csv: Toggl Track, detailed report as CSV, or JSON of its API\n  Entries   3,',
    )
    expect(stderr).toMatch(/Add --yes to confirm\.\n$/)
    expect(await entries(cli)).toHaveLength(2)
  })
})

describe('task links', () => {
  test('--map assigns them, and lines that match nothing are warnings', async () => {
    const cli = await createCli()
    write(
      cli,
      'map.csv',
      'client,project,task,tags,tt_task',
      ',website,,,Acme/Website/Design',
      ',calls,,,2',
      ',other,,,2',
    )
    const { status, stdout, stderr } = await cli.run('import', 'frames', '--map', 'map.csv', '--dry-run')
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'map.csv:4: No entry has these names.\n' })
    expect(stdout).toContain('Tasks     2 existing: Design, Review')
  })

  test('--map-template writes a mapping file that --map reads', async () => {
    const cli = await createCli()
    const written = await cli.run('import', 'frames', 'toggl.csv', '--map-template', 'map.csv')
    expect(written).toMatchObject({
      status: 0,
      stderr: `Wrote ${join(cli.home, 'map.csv')}. Fill in the column tt_task, and import with --map.\n`,
    })
    const template = readFileSync(join(cli.home, 'map.csv'), 'utf8')
    expect(template).toMatchInlineSnapshot(`
      "client,project,task,tags,tt_task,entries,hours,nearest
      ,calls,,,,2,1.25,
      Acme,Website,Design,,Acme/Website/Design,2,2.00,Acme / Website / Design
      ,website,,,,1,1.00,Acme / Website / Design
      "
    `)
    expect(await entries(cli)).toHaveLength(2)

    writeFileSync(
      join(cli.home, 'map.csv'),
      template.replaceAll(/^(,.*?,.*?,.*?),,/gm, '$1,Acme/Website/Review,'),
    )
    expect(await cli.run('import', 'frames', 'toggl.csv', '--map', 'map.csv', '--dry-run')).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  test('--map-template replaces a file only with --yes, and prints to standard output', async () => {
    const cli = await createCli()
    write(cli, 'map.csv', 'mine')
    expect(await cli.run('import', 'frames', '--map-template', 'map.csv')).toMatchObject(
      rejection(2, 'Confirmation required: Replace'),
    )
    expect(readFileSync(join(cli.home, 'map.csv'), 'utf8')).toBe('mine\n')
    expect(await cli.run('import', 'frames', '--map-template', 'map.csv', '--yes')).toMatchObject({
      status: 0,
    })
    const printed = await cli.run('import', 'frames', '--map-template', '-')
    expect(printed.stdout).toBe(readFileSync(join(cli.home, 'map.csv'), 'utf8'))
    expect(await cli.run('import', 'frames', '--map-template', 'none/map.csv')).toMatchObject(
      rejection(1, `The directory ${join(cli.home, 'none')} does not exist.`),
    )
    expect(existsSync(join(cli.home, 'none'))).toBe(false)
  })

  test('import.task is the task of entries without one, and --task precedes it', async () => {
    const cli = await createCli()
    await cli.json('config', 'set', 'import.task', 'Acme/Website/Review')
    const tasks = async (...options: string[]) =>
      /^ +Tasks +(.*)$/m.exec(
        (await cli.run('import', 'frames', 'timewarrior.json', '--dry-run', ...options)).stdout,
      )?.[1]
    expect(await tasks()).toBe('1 existing: Review')
    expect(await tasks('--task', 'Admin/Tracked')).toBe('1 new: Tracked')
    expect(await cli.run('config', 'set', 'import.task', 'a/b/c/d')).toMatchObject(
      rejection(2, 'is not Task, Project/Task or Client/Project/Task'),
    )
  })

  test('a project without a task gets its task of default_task, its only task, or a new one', async () => {
    const cli = createTestCli('2024-05-10T12:00:00')
    const rows = ['Website', 'App', 'Website'].map((project, index) =>
      togglRow('2024-05-02', `1${index}:00`, `1${index}:30`, { project, task: '' }),
    )
    write(cli, 'report.csv', togglHeader, ...rows)
    const tasks = async () => (await cli.json<{ label: string }[]>('tasks')).map(({ label }) => label)
    // The first command in an empty home.
    expect(await cli.run('import', 'report.csv', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Imported 3 entries from report.csv.'),
    })
    expect(await tasks()).toEqual(['Acme / App / General', 'Acme / Website / General'])
    await cli.json('undo', '--yes')
    await cli.json('start', 'Acme/App/Review')
    await cli.json('config', 'set', 'default_task', 'Work')
    expect(await cli.run('import', 'report.csv', '--yes', '--again')).toMatchObject({ status: 0 })
    expect(await tasks()).toEqual(['Acme / App / Review', 'Acme / Website / Work'])
  })

  test('at a service, an unknown task is an error with candidates', { tags: 'slow' }, async () => {
    const { cli } = await setUpService()
    copyFixtures(cli, 'frames')
    expect(await cli.run('import', 'frames', '--task', 'Desing', '--dry-run')).toMatchObject(
      rejection(2, 'No task is named "Desing". Did you mean Design?'),
    )
  })
})

describe('an import', () => {
  test('imports each entry once', async () => {
    const cli = await createCli()
    const first = togglRow('2024-05-02', '9:00', '10:00')
    const rows = [first, first, togglRow('2024-05-03', '9:00', '10:00')]
    write(cli, 'may.csv', togglHeader, ...rows)
    const run = async (...options: string[]) => {
      const { status, stderr } = await cli.run('import', 'may.csv', '--yes', '--quiet', ...options)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return (await entries(cli)).length - 2
    }
    expect(await run()).toBe(3)
    expect(await run()).toBe(3)
    expect((await cli.run('import', 'may.csv')).stderr).toBe(
      'Nothing to import: all 3 entries of may.csv were imported earlier.\n',
    )
    write(cli, 'may.csv', togglHeader, ...rows, togglRow('2024-05-04', '9:00', '10:00'))
    expect((await cli.run('import', 'may.csv', '--yes')).stderr).toContain(
      'Imported 1 entry from may.csv. `tt undo` reverts the import.\nNot imported: 3 imported earlier.\n',
    )
    expect(await run()).toBe(4)
  })

  test('does not import deleted entries again, except with --again, with their notes and tags', async () => {
    const cli = await createCli()
    await cli.run('import', 'toggl.csv', '--task', 'Talks', '--yes')
    await cli.json('rm', '@1', '--yes')
    expect(await cli.run('import', 'toggl.csv', '--task', 'Talks')).toMatchObject({
      status: 0,
      stderr:
        'Nothing to import from toggl.csv: 2 imported earlier, ' +
        '1 deleted here after an earlier import (--again imports them again).\n',
    })
    await cli.json('import', 'toggl.csv', '--task', 'Talks', '--yes', '--again')
    expect((await entries(cli)).map(({ notes }) => notes)).toEqual([
      ...['Fix the "logo", again #front-end #urgent', 'own', null, null, 'Two\nlines'],
    ])
  })

  test('updates entries that have changed in the source with --update', async () => {
    const cli = await createCli()
    const source = (end: string) => write(cli, 'may.csv', togglHeader, togglRow('2024-05-02', '9:00', end))
    source('10:00')
    await cli.json('import', 'may.csv', '--yes')
    source('10:30')
    expect(await cli.run('import', 'may.csv')).toMatchObject({
      status: 0,
      stderr: 'Nothing to import from may.csv: 1 changed in the file (--update updates their entries).\n',
    })
    expect((await cli.run('import', 'may.csv', '--update')).stderr).toContain('Update 1 entry from may.csv')
    expect((await cli.run('import', 'may.csv', '--update', '--yes')).stderr).toContain(
      'Updated 1 entry from may.csv.',
    )
    expect((await entries(cli)).at(-1)).toMatchObject({ duration_seconds: 5400 })
  })

  test('leaves out entries that exist, and says so, also of a file without entries', async () => {
    const cli = await createCli()
    write(cli, 'may.csv', togglHeader, togglRow('2024-05-01', '10:00', '11:00', { notes: 'own' }))
    expect(await cli.run('import', 'may.csv')).toMatchObject({
      status: 0,
      stderr: 'Nothing to import from may.csv: 1 equal to existing entries.\n',
    })
    write(cli, 'may.csv', togglHeader)
    expect(await cli.run('import', 'may.csv')).toMatchObject({
      status: 0,
      stderr: 'Nothing to import: may.csv contains no entries.\n',
    })
  })

  test('of several files is one change for each, and imports shared entries once', async () => {
    const cli = await createCli()
    const [may2, may3, may4] = ['02', '03', '04'].map((day) => togglRow(`2024-05-${day}`, '9:00', '10:00'))
    write(cli, 'a.csv', togglHeader, `${may2}`, `${may3}`)
    write(cli, 'b.csv', togglHeader, `${may3}`, `${may4}`)
    const { stderr } = await cli.run('import', 'a.csv', 'b.csv')
    expect(stderr).toContain('Import 4 entries from 2 files.')
    const { files } = await cli.json<{ files: { result: unknown }[] }>('import', 'a.csv', 'b.csv', '--yes')
    expect(files.map(({ result }) => result)).toMatchObject([{ created: 2 }, { created: 1 }])
    expect(await entries(cli)).toHaveLength(5)
    await cli.json('undo')
    expect(await entries(cli)).toHaveLength(4)
  })

  test('imports nothing with invalid rows, and with --skip-invalid the other rows, and exits 7', async () => {
    const cli = await createCli()
    write(
      cli,
      'report.csv',
      togglHeader,
      togglRow('2024-05-02', '9:00', '10:00'),
      togglRow('2024-05-02', '25:00', '10:00'),
      togglRow('2024-05-03', '9:00', '10:00', { notes: 'x'.repeat(100_000) }),
    )
    const { status, stderr } = await cli.run('import', 'report.csv', '--yes', '--skip-invalid')
    expect(status).toBe(7)
    expect(stderr).toContain('Imported 1 entry from report.csv.')
    expect(stderr.slice(stderr.indexOf('error:'))).toMatchInlineSnapshot(`
      "error: 2 rows of report.csv cannot be imported. Skipped:
        report.csv:3:9: Start time is "25:00:00", not a time of day such as 9:30, 09:30:00 or 9:30 AM.
        report.csv:4: The notes must not be longer than 65536 characters.
      "
    `)
    expect(await entries(cli)).toHaveLength(3)
    expect(await cli.run('import', 'report.csv', '--yes')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr:
        'error: 1 row of report.csv cannot be imported. Nothing was imported.\n' +
        '  report.csv:3:9: Start time is "25:00:00", not a time of day such as 9:30, 09:30:00 or 9:30 AM.\n' +
        'Correct these rows, or add --skip-invalid to import the other entries.\n',
    })
    expect(await entries(cli)).toHaveLength(3)
  })

  test('names entries that the workspace does not accept, and creates nothing', async () => {
    const cli = await createCli()
    write(
      cli,
      'report.csv',
      togglHeader,
      togglRow('2024-05-02', '9:00', '10:00'),
      togglRow('2024-05-03', '9:00', '10:00', { project: 'A/B' }),
    )
    expect(await cli.run('import', 'report.csv', '--yes')).toMatchObject(
      rejection(2, 'report.csv:3: The name of a project cannot contain a slash: "A/B".'),
    )
    expect(await entries(cli)).toHaveLength(2)
  })
})

describe('an import into a service', () => {
  const rows = [
    togglRow('2024-05-02', '9:00', '10:00', { client: '' }),
    togglRow('2024-05-03', '9:00', '9:30', { client: '' }),
  ]

  test('saves the changes while the service cannot be reached, and sends them when it is repeated', {
    tags: 'slow',
  }, async () => {
    const { cli, entries, proxy } = await setUpService({ ticking: true })
    write(cli, 'may.csv', togglHeader, ...rows)
    proxy.fault = (request, forward) =>
      request.method === 'POST' ? dropRequest(request, forward) : forward()
    const offline = await cli.run('import', 'may.csv', '--yes', '--json')
    expect(offline.status).toBe(0)
    expect(offline.json()).toMatchObject({ created: 2, pending: 2 })
    const repeated = await cli.run('import', 'may.csv', '--yes')
    expect(repeated.stderr).toMatch(/Saved locally: .* Run `tt sync` to send them\.\n/)
    expect(repeated.stderr).toMatch(/\n2 earlier changes not sent yet\.\n$/)
    proxy.fault = noFault
    cli.setTime('2024-05-08T12:10:00Z')
    expect(await cli.run('import', 'may.csv', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
  })

  test('warns of rejected entries when it is repeated', async () => {
    const { cli, entries } = await setUpService()
    const [first = ''] = rows
    const tooLong = togglRow('2024-05-04', '9:00', '9:30', { client: '', notes: 'x'.repeat(70_000) })
    write(cli, 'may.csv', togglHeader, first, tooLong)
    expect(await cli.run('import', 'may.csv', '--yes')).toMatchObject(
      rejection(7, 'Imported 1 entry from may.csv.'),
    )
    expect(await entries()).toHaveLength(1)
    expect((await cli.run('import', 'may.csv', '--yes')).stderr).toContain(
      '1 earlier change rejected by the service. Run `tt sync list` to see the changes.\n',
    )
  })

  test('is undone by tt sync where tt undo reaches its time limit', { tags: 'slow' }, async () => {
    const { cli, entries, proxy } = await setUpService()
    const days = ['02', '03', '04', '05', '06'].map((day) =>
      togglRow(`2024-05-${day}`, '9:00', '10:00', { client: '' }),
    )
    write(cli, 'may.csv', togglHeader, ...days)
    expect(await cli.run('import', 'may.csv', '--yes')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(5)
    const advanceClock = stopMonotonicClock()
    proxy.fault = (request, forward) => {
      if (request.method === 'DELETE') advanceClock(1600)
      return forward()
    }
    const undone = await cli.run('undo')
    const { length: remaining } = await entries()
    expect(remaining).toBeGreaterThan(1)
    expect(undone).toMatchObject({ status: 0 })
    expect(undone.stderr).toContain(
      `Saved locally: ${remaining} changes are not sent yet. Run \`tt sync\` to send them.\n`,
    )
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(0)
    expect((await cli.run('import', 'may.csv', '--yes')).stderr).toContain('Imported 5 entries')
  })
})
