import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

interface Group {
  by: string
  key: string | null
  seconds: number
  rounded_seconds: number
  count: number
  share: number
  running: boolean
  groups: Group[]
}
interface Report extends Group {
  since: string | null
  until: string | null
  by: string
  average_seconds: number | null
}

/** Creates a `TestCli` with entries on three days; its clock is Wednesday noon. */
const createWeekCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  const add = (task: string, from: string, length: string, ...more: string[]) =>
    cli.json('add', task, '--from', from, '--for', length, ...more)
  await add('Acme/Website/Design', '2024-05-06 09:00', '1h30m', '-n', 'first page')
  await add('Acme/Website/Review', '2024-05-06 11:00', '20m')
  await add('Internal/Meetings', '2024-05-06 23:30', '1h')
  await add('Acme/Shop/Design', '2024-05-07 10:00', '2h', '-n', 'first page')
  await add('Acme/Website/Design', '2024-04-30 10:00', '4h')
})

const report = (cli: TestCli, ...options: string[]) => cli.json<Report>('report', ...options)

test('tt report groups the last seven days by project, and shows the period', async () => {
  const { since, until, seconds, count, by, groups } = await report(await createWeekCli())
  expect({ since, until, seconds, count, by }).toEqual({
    since: '2024-05-02',
    until: '2024-05-08',
    seconds: 17_400,
    count: 4,
    by: ['project'],
  })
  expect(groups).toMatchObject([
    { by: 'project', key: 'Shop', seconds: 7200, count: 1, share: 0.4138, groups: [] },
    { by: 'project', key: 'Website', seconds: 6600, count: 2, share: 0.3793, groups: [] },
    { by: 'project', key: 'Internal', seconds: 3600, count: 1, share: 0.2069, groups: [] },
  ])
})

test('groups are nested in the order of --by, and entries are split at midnight', async () => {
  const { by, groups } = await report(await createWeekCli(), '--by', 'day, client')
  expect(by).toEqual(['day', 'client'])
  expect(groups).toMatchObject([
    {
      by: 'day',
      key: '2024-05-06',
      seconds: 8400,
      groups: [
        { by: 'client', key: 'Acme', seconds: 6600, count: 2 },
        { key: null, seconds: 1800, count: 1 },
      ],
    },
    { key: '2024-05-07', seconds: 9000, groups: [{ key: 'Acme' }, { key: null, seconds: 1800, count: 1 }] },
  ])
})

test('an entry that begins before the period counts with its part within', async () => {
  const { seconds, count } = await report(
    await createWeekCli(),
    '--since',
    '2024-05-07',
    '--until',
    '2024-05-07',
  )
  expect({ seconds, count }).toEqual({ seconds: 9000, count: 2 })
})

test('a running entry counts up to now, and is marked', async () => {
  const cli = await createWeekCli()
  await cli.json('start', 'Acme/Shop/Design', '--at', '11:00')
  expect(await report(cli, '--since', 'today', '--by', 'task,notes')).toMatchObject({
    seconds: 3600,
    running: true,
    groups: [{ key: 'Design', running: true, groups: [{ key: null, running: true }] }],
  })
  const { stdout } = await cli.runInTerminal(80, 'report', '--since', 'today', '--by', 'project')
  expect(stdout).toContain('Shop  running')
  expect(stdout).toContain('From 2024-05-08: 1 entry, one running')
})

test.each([
  [
    ['--round', '15m'],
    [7200, 6300, 3600],
  ],
  [
    ['--round', '15m:up'],
    [7200, 7200, 3600],
  ],
  [
    ['--round-total', '30m:down'],
    [7200, 5400, 3600],
  ],
])('%j rounds, and the exact figures are shown as well', async (options, rounded) => {
  const { groups, seconds, rounded_seconds: sum } = await report(await createWeekCli(), ...options)
  expect(groups.map((group) => group.rounded_seconds)).toEqual(rounded)
  expect(groups.map((group) => group.seconds)).toEqual([7200, 6600, 3600])
  expect({ seconds, sum }).toEqual({ seconds: 17_400, sum: rounded.reduce((a, b) => a + b) })
})

describe('machine-readable output', () => {
  test('has the innermost groups with one column per grouping in TSV, CSV and NDJSON', async () => {
    const cli = await createWeekCli()
    const line = ['report', '--by', 'client,project', '--round', '1h:up']
    const rows = [
      {
        client: 'Acme',
        project: 'Shop',
        seconds: '7200',
        rounded_seconds: '7200',
        count: '1',
        share: '0.4138',
        hours: '2.00',
        client_id: '1',
        project_id: '3',
      },
      {
        client: 'Acme',
        project: 'Website',
        seconds: '6600',
        rounded_seconds: '10800',
        count: '2',
        share: '0.3793',
        hours: '3.00',
        client_id: '1',
        project_id: '1',
      },
      {
        client: '',
        project: 'Internal',
        seconds: '3600',
        rounded_seconds: '3600',
        count: '1',
        share: '0.2069',
        hours: '1.00',
        client_id: '',
        project_id: '2',
      },
    ]
    const csv = await cli.run(...line, '--csv')
    expect(parse(csv.stdout, { columns: true })).toEqual(rows)
    expect((await cli.run(...line)).stdout).toBe(
      rows.map((row) => `${Object.values(row).join('\t')}\n`).join(''),
    )
    const ndjson = (await cli.run(...line, '--ndjson')).stdout.trimEnd().split('\n')
    expect(ndjson.map((text) => JSON.parse(text))).toMatchObject([
      { client: 'Acme', project: 'Shop', seconds: 7200, running: false },
      { project: 'Website' },
      { client: null, project: 'Internal' },
    ])
  })

  test('has the columns that --fields selects', async () => {
    const cli = await createWeekCli()
    expect((await cli.run('report', '--fields', 'seconds,project')).stdout).toBe(
      '7200\tShop\n6600\tWebsite\n3600\tInternal\n',
    )
    expect(await cli.json('report', '--fields', 'seconds,count')).toEqual({ seconds: 17_400, count: 4 })
  })
})

test.each([
  ['--by', 'colour'],
  ['--by', 'day,day'],
  ['--by', ''],
  ['--round', 'often'],
  ['--round', '15m', '--round-total', '15m'],
  ['--since', 'today', '--until', 'yesterday'],
])('tt report %s %s exits with 2 and a hint', async (...options) => {
  const { status, stdout, stderr } = await createTestCli().run('report', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^error: .*\n.+/s)
})

describe('a report of', () => {
  test.each([
    ['a period without entries', ['--since', '2024-05-03', '--until', '2024-05-04']],
    ['the year 1970', ['--since', '1970-01-01', '--until', '1970-12-31', '--by', 'week']],
    ['the year 2100', ['--since', '2100', '--until', '2100', '--by', 'month,task']],
  ])('%s has no groups, exits with 0 and prints a message', async (_, options) => {
    const cli = await createWeekCli()
    expect(await report(cli, ...options)).toMatchObject({
      seconds: 0,
      count: 0,

      groups: [],
    })
    expect(await cli.run('report', ...options)).toEqual(
      expect.objectContaining({ status: 0, stdout: '', stderr: '' }),
    )
    const { stdout, stderr } = await cli.runInTerminal(80, 'report', ...options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^No entries from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\. `tt add .*` adds one\.\n$/)
  })
})
