import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

async function createLongCli() {
  const cli = createTestCli('2024-05-08T12:00:00')
  await cli.json('config', 'set', 'rate', '100 EUR')
  await cli.json('config', 'set', 'rate.Acme/Shop', '90 USD')
  await cli.json('add', 'Acme/Website/Design', '--from', '2024-01-01 00:00', '--for', '1234h30m')
  await cli.json('add', 'Acme/Shop/Design', '--from', '2024-04-01 00:00', '--for', '30h')
  await cli.json('expenses', 'add', '1234567.5', '--currency', 'EUR', '--on', '2024-05-02')
  return cli
}

test('tables and their totals separate thousands, and have a column for each currency', {
  tags: 'slow',
}, async () => {
  const cli = await createLongCli()
  expect((await cli.runInTerminal(100, 'report', '2024')).stdout).toMatchInlineSnapshot(`
    "Project    Duration  Share  Entries         EUR       USD
    Website  1,234h 30m    98%        1  123,450.00
    Shop        30h 00m     2%        1              2,700.00

    2024-01-01 to 2024-12-31: 2 entries
    Total    1,264h 30m
    Billable 1,264h 30m; non-billable 0m
    Amount   123,450.00 EUR, 2,700.00 USD
    Average  13h 35m a working day (93 so far)
    "
  `)
  const { stdout: log } = await cli.runInTerminal(100, 'log', '2024')
  expect(log).toContain('2024-02-21 10:30  1,234h 30m  Acme')
  expect(log).toContain('2 entries, 1,264h 30m')
  expect((await cli.runInTerminal(100, 'expenses', 'all')).stdout).toContain('1,234,567.50  EUR')
  expect((await cli.runInTerminal(100, 'expenses', 'report', 'all')).stdout).toContain('1,234,567.50 EUR')
  expect(
    (await cli.runInTerminal(100, 'report', '2024', '--grid', '--by', 'project,month')).stdout,
  ).toContain('1,234h 30m')
})

test('formats for programs do not separate thousands', { tags: 'slow' }, async () => {
  const cli = await createLongCli()
  await cli.json('config', 'set', 'duration_format', '1:24')
  // A rate of three digits after a comma would look like thousands.
  await cli.json('config', 'set', 'rate', '99 EUR')
  for (const argv of [
    ['report', '2024', '--csv'],
    ['report', '2024', '--json'],
    ['report', '2024'],
    ['report', '2024', '--grid', '--by', 'project,year', '--csv'],
    ['report', '2024', '--compare', '2023', '--csv'],
    ['log', '2024', '--csv'],
    ['expenses', 'all', '--csv'],
    ['expenses', 'all'],
  ])
    expect((await cli.run(...argv)).stdout, argv.join(' ')).not.toMatch(/\d,\d{3}\b(?!.*T)/)
  expect((await cli.run('report', '2024', '--csv')).stdout).toContain('1234:30')
})

describe('an error on a terminal', () => {
  const red = '\u001b\\[31merror:\u001b\\[39m '

  test('begins in red where standard error has colours', async () => {
    const cli = createTestCli()
    cli.env.NO_COLOR = undefined
    await cli.run('status')
    expect((await cli.runInTerminal(80, 'stop')).stderr).toMatch(new RegExp(`^${red}No timer is running`))
    expect((await cli.run('stop')).stderr).toMatch(/^error: /)
    expect((await cli.runInTerminal(80, 'stop', '--no-color')).stderr).toMatch(/^error: /)
    expect((await cli.runInTerminal(80, 'stop', '--json')).stderr).toMatch(/^\{/)
    cli.env.NO_COLOR = '1'
    expect((await cli.runInTerminal(80, 'stop')).stderr).toMatch(/^error: /)
  })

  test('breaks no word in a narrow one', async () => {
    const cli = createTestCli()
    const argv = ['add', 'Acme/Website/Design', '3x']
    const { stderr: whole } = await cli.run(...argv)
    const { stderr } = await cli.runInTerminal(40, ...argv)
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
    expect(stderr.split('\n').length).toBeGreaterThan(whole.split('\n').length)
    expect(stderr.split(/\s+/)).toEqual(whole.split(/\s+/))
  })
})

test('a day says how much of its total belongs to entries of an earlier day', async () => {
  const cli = createTestCli('2024-05-03T12:00:00')
  await cli.json('add', 'Acme/Website/Launch', '--from', '2024-05-01 22:30', '--for', '3h')
  await cli.json('add', 'Acme/Website/Launch', '--from', '2024-05-02 09:00', '--for', '1h')
  const print = async (...argv: string[]) => (await cli.runInTerminal(100, ...argv)).stdout
  const log = await print('log', 'week')
  expect(log).toContain('Wed 2024-05-01  1h 30m\n')
  expect(log).toContain('Thu 2024-05-02  2h 30m (1h 30m since an earlier day)\n')
  expect(await print('log', '2024-05-02')).toContain('2h 30m (1h 30m since an earlier day)\n')
  const note = '\nIncludes time since an earlier day: 2024-05-02 1h 30m.\n'
  expect(await print('report', 'week', '--by', 'day')).toContain(note)
  expect(await print('report', '2024-05-02', '--by', 'day')).toContain(note)
  expect(await print('timesheet', 'week')).toContain(note)
  for (const argv of [
    ['report', 'week'],
    ['report', '2024-05-01', '--by', 'day'],
  ])
    expect(await print(...argv)).not.toContain('earlier day')
})

test('the log marks a duration that differs from the displayed times, and explains the mark', async () => {
  const cli = createTestCli('2024-05-03T12:00:00')
  await cli.json('add', 'Acme/Website/Design', '--from', '2024-05-02T09:00:50+02:00', '--for', '29m20s')
  await cli.json('add', 'Acme/Website/Design', '--from', '2024-05-02 10:00', '--for', '1h')
  expect((await cli.runInTerminal(80, 'log')).stdout).toMatchInlineSnapshot(`
    "ID  From   To     Duration  Client  Project  Task    Notes
    Thu 2024-05-02  1h 29m
     1  09:00  09:30      29m*  Acme    Website  Design
     2  10:00  11:00   1h 00m   Acme    Website  Design

    2 entries, 1h 29m
    * Times are shown without seconds; the durations include them.
    "
  `)
  expect((await cli.run('log', '--markdown')).stdout).not.toContain('*')
  expect((await cli.runInTerminal(80, 'log', '--task', '1', '--since', '2024-05-03')).stdout).not.toContain(
    '*',
  )
  await cli.json('rm', '1', '--yes')
  expect((await cli.runInTerminal(80, 'log')).stdout).not.toContain('*')
})

test('a narrow log drops an empty column before it shortens names', async () => {
  const cli = createTestCli('2024-05-03T12:00:00')
  await cli.json('add', 'Website relaunch/Copywriting', '2024-05-02 10:00-11:00')
  const lines = (await cli.runInTerminal(66, 'log')).stdout.split('\n')
  expect(lines[0]).not.toMatch(/Client|Notes/)
  expect(lines[2]).toMatch(/Website relaunch {2}Copywriting$/)
})

describe.each([40, 80])('help in a terminal of %i columns', (columns) => {
  test.each(['help', 'help --all', 'help billing', 'report --help', 'admin'])(
    'breaks no word and loses none: tt %s',
    async (line) => {
      const [cli, words] = [createTestCli(), line.split(' ')]
      const [plain, shown] = [await cli.run(...words), await cli.runInTerminal(columns, ...words)]
      const [expected, text] = [plain, shown].map(({ stdout, stderr }) => stdout || stderr) as [
        string,
        string,
      ]
      expect(text.split(/\s+/)).toEqual(expected.split(/\s+/))
      // Examples stay on one line, so that they can be copied.
      const lines = text.split('\n').filter((each) => !/^ {4}\S| {2}\$ /.test(each))
      for (const each of lines) expect(each.length).toBeLessThanOrEqual(columns)
    },
  )
})
