import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportFormatNames } from '../../src/records/export-formats.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'
import { createUnicodeCli } from './unicode-fixtures.js'

/** Returns the path of a file in the home of the test. */
const inHome = (cli: TestCli, name: string) => join(cli.home, name)

describe('tt export', () => {
  test('--ndjson prints what tt log --ndjson prints, and --jq filters each entry', {
    tags: 'slow',
  }, async () => {
    const cli = await createUnicodeCli()
    const log = await cli.run('log', '--ndjson')
    for (const argv of [['--ndjson'], ['--format', 'ndjson'], ['--ndjson', '--format', 'ndjson']])
      expect((await cli.run('export', ...argv)).stdout).toBe(log.stdout)
    const ids = log.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id)
    const filtered = await cli.run('export', '--ndjson', '--jq', '{id}')
    expect(filtered.stdout).toBe(ids.map((id) => `{"id":${id}}\n`).join(''))
    expect(await cli.run('export', '--ndjson', '--format', 'csv')).toMatchObject({ status: 2 })
  })

  test.each(['json', 'csv', 'ical'])('writes as %s what tt log prints', async (format) => {
    const cli = await createUnicodeCli()
    const name = format === 'ical' ? 'log.ics' : `log.${format}`
    expect(await cli.run('log', '-o', name)).toMatchObject({ status: 0, stdout: '' })
    const log = readFileSync(join(cli.home, name), 'utf8')
    expect(await cli.run('export', '--format', format)).toMatchObject({ status: 0, stdout: log, stderr: '' })
    expect(log.length).toBeGreaterThan(1000)
  })

  test('without a period writes all entries, the oldest first', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    for (const day of ['2024-05-08', '2019-01-02', '2024-03-03'])
      await cli.json('add', 'Website/Design', '--from', `${day} 9:00`, '--for', '1h', '--create')
    await cli.json('start', 'Website/Design', '--at', '2023-12-31 9:00')
    const starts = (await cli.json<{ time_start: string }[]>('export')).map(({ time_start }) =>
      time_start.slice(0, 10),
    )
    expect(starts).toEqual(['2019-01-02', '2023-12-31', '2024-03-03', '2024-05-08'])
  })

  test('takes the periods and filters of tt log', async () => {
    const cli = await createUnicodeCli()
    for (const filters of [
      ['yesterday'],
      ['--since', '2024-04-30', '--client', 'Acme'],
      ['--running'],
      ['--where', 'time_start_gteq=2024-05-01'],
    ]) {
      const listed = await cli.json<unknown[]>('log', ...filters)
      expect(listed.length).toBeGreaterThan(0)
      expect(await cli.json('export', ...filters)).toEqual(listed)
    }
  })

  test('puts an apostrophe before formulas in CSV, unless --raw is given', async () => {
    const cli = await createUnicodeCli()
    expect((await cli.run('export', '--format', 'csv')).stdout).toContain(",'=SUM(A1:A9)")
    expect((await cli.run('export', '--format', 'csv', '--raw')).stdout).toContain(',=SUM(A1:A9)')
  })
})

describe('tt export --output', () => {
  test('writes the same text to a file, and prints with --json what was written', async () => {
    const cli = await createUnicodeCli()
    expect(await cli.json('export', '--format', 'csv', '--output', 'a.csv')).toEqual({
      format: 'csv',
      entries: 9,
      files: [inHome(cli, 'a.csv')],
      running_omitted: 0,
      overlaps: 0,
    })
    const { stdout } = await cli.run('export', '--format', 'csv')
    expect(readFileSync(inHome(cli, 'a.csv'), 'utf8')).toBe(stdout)
    expect(statSync(inHome(cli, 'a.csv')).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  test('writes to a device without confirmation', async () => {
    const cli = await createUnicodeCli()
    expect(await cli.run('export', '--output', '/dev/null')).toMatchObject({
      status: 0,
      stderr: 'Exported 9 entries to /dev/null.\n',
    })
  })

  test.each([
    ['folder', 2, 'is a directory, and json is written to one file'],
    ['missing/a/b.json', 1, 'The directory HOME/missing/a does not exist.\nCreate it first'],
  ])('with --format json rejects %s', async (output, status, message) => {
    const cli = await createUnicodeCli()
    mkdirSync(inHome(cli, 'folder'))
    const rejected = await cli.run('export', '--format', 'json', '--output', output)
    expect(rejected).toMatchObject({ status, stdout: '' })
    expect(rejected.stderr.replaceAll(cli.home, 'HOME')).toContain(message)
    expect(existsSync(inHome(cli, 'missing'))).toBe(false)
  })
})

describe('tt export --format timewarrior', () => {
  const createOverlappingCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
    for (const from of ['2024-04-30 9:00', '2024-05-01 9:00', '2024-05-01 9:30'])
      await cli.json('add', 'Acme/Website/Design', '--from', from, '--for', '1h', '--create')
  })
  const warning =
    'Timewarrior does not accept 1 overlap: 2 and 3 (2024-05-01 09:30). ' +
    '`tt check --overlaps --since 2024-05-01` lists commands that correct them.\n'

  test('names overlapping entries with the command that lists corrections', async () => {
    const cli = await createOverlappingCli()
    const { status, stdout, stderr } = await cli.run('export', '--format', 'timewarrior')
    expect({ status, stderr }).toEqual({ status: 0, stderr: warning })
    expect(JSON.parse(stdout)).toHaveLength(3)
    expect((await cli.run('check', '--overlaps', '--since', '2024-05-01')).stdout).toContain('overlap')
  })

  test('writes a data file for each month, and replaces files only after confirmation', async () => {
    const cli = await createOverlappingCli()
    const argv = ['export', '--format', 'timewarrior', '--output', 'data']
    const stderr = `${warning}Exported 3 entries to ${inHome(cli, 'data')}.\n`
    expect(await cli.run(...argv)).toMatchObject({ status: 0, stdout: '', stderr })
    expect(readdirSync(inHome(cli, 'data'))).toEqual(['2024-04.data', '2024-05.data'])
    const april = readFileSync(inHome(cli, 'data/2024-04.data'), 'utf8')
    writeFileSync(inHome(cli, 'data/2024-04.data'), 'previous')
    expect(await cli.run(...argv)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /Overwrite the files of the exported months in .*\/data\..*\nAdd --yes to confirm/,
      ),
    })
    expect(readFileSync(inHome(cli, 'data/2024-04.data'), 'utf8')).toBe('previous')
    expect((await cli.run(...argv, '--yes')).status).toBe(0)
    expect(readFileSync(inHome(cli, 'data/2024-04.data'), 'utf8')).toBe(april)
  })

  test('writes JSON to a file that ends in .json', async () => {
    const cli = await createOverlappingCli()
    await cli.run('export', '--format', 'timewarrior', '--output', 'all.json')
    expect(JSON.parse(readFileSync(inHome(cli, 'all.json'), 'utf8'))).toHaveLength(3)
  })
})

test.each([
  [['--format', 'yaml'], '--format: "yaml" is not one of json, ndjson, csv,'],
  [['--format', 'csb'], 'Did you mean csv?'],
  [['--raw'], '--raw is for CSV, and json is not CSV.\nOmit --raw, or use --format csv, toggl or clockify.'],
  [['--csv'], 'Unknown option "--csv".\nUse `--format csv` instead.'],
  [
    ['--fields', 'id'],
    'Unknown option "--fields".\nUse `--format csv` for all fields, or `tt log --csv --fields`',
  ],
  [['--fields=id'], '\nUse `--format csv` for all fields'],
  [['--format', 'ical', '--json'], '--json and --format ical cannot be used together'],
])('tt export %j is a usage error', async (options, message) => {
  const { status, stdout, stderr } = await createTestCli().run('export', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(options.includes('--json') ? message.replaceAll('\n', '\\n') : message)
})

test('tt export --format timeclock says why all running entries but the last are omitted', async () => {
  const { cli, sendAsOtherClient } = await setUpService()
  for (const hour of ['07', '08', '09']) {
    const entry = { time_start: `2024-05-08T${hour}:00:00Z`, time_end: null, task_link_id: 1 }
    await sendAsOtherClient('POST', '/timesheets', entry)
  }
  const { stdout, stderr } = await cli.run('export', '--format', 'timeclock')
  expect(stdout.match(/^i /gm)).toHaveLength(1)
  expect(stderr).toContain(
    'Omitted 2 running entries, because the timeclock format supports only one running entry: 1 (',
  )
})

test('tt export says why running entries are omitted', async () => {
  const cli = createTestCli('2024-05-08T12:00:00')
  await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '1h', '--create')
  await cli.json('start', 'Website/Design', '--at', '11:00')
  for (const [format, program] of [
    ['watson', 'Watson'],
    ['toggl', 'Toggl Track'],
    ['clockify', 'Clockify'],
    ['timeclock', undefined],
  ] as const) {
    const { status, stderr } = await cli.run('export', '--format', format)
    const message = `Omitted 1 running entry, because ${program} does not support running entries: 2 (`
    expect(status).toBe(0)
    if (program === undefined) expect(stderr).toBe('')
    else expect(stderr.slice(0, message.length)).toBe(message)
  }
})

test('the help of tt export lists every format', async () => {
  const { stdout } = await createTestCli().run('export', '--help')
  for (const name of exportFormatNames) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
})
