import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingTable } from '../../src/config/settings/setting-table.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const fileOf = (cli: TestCli) => join(cli.home, 'config.json')

function createCliWithSettings(text: string): TestCli {
  const cli = createTestCli()
  writeFileSync(fileOf(cli), text)
  return cli
}

test('get shows the value that set and unset change', async () => {
  const cli = createTestCli()
  expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('monday\n')
  const set = await cli.runInTerminal(80, 'config', 'set', 'week_start', 'Sunday')
  expect(set).toMatchObject({ status: 0, stdout: '' })
  expect(set.stderr).toBe('week_start is now Sunday (previously monday, the default).\n')
  expect((await cli.run('config', 'set', 'week_start', 'sat')).stderr).toBe(
    'week_start is now sat (previously Sunday).\n',
  )
  expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('sat\n')
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({ week_start: 'sat' })
  expect((await cli.run('config', 'unset', 'week_start')).stderr).toBe(
    'week_start is now monday, the default (previously sat).\n',
  )
  expect((await cli.run('config', 'unset', 'week_start')).stderr).toBe('week_start is not set.\n')
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({})
})

test('the file is private, and a symbolic link to it is preserved', async () => {
  const cli = createCliWithSettings('{}')
  const otherCli = createTestCli()
  symlinkSync(fileOf(cli), fileOf(otherCli))
  await otherCli.json('config', 'set', 'rate', '95')
  expect(readFileSync(fileOf(cli), 'utf8')).toBe('{\n  "rate": "95"\n}\n')
  expect(statSync(fileOf(cli)).mode & 0o777).toBe(0o600)
})

test('list shows every setting with its value, and with --origin its origin', async () => {
  const cli = createTestCli()
  await cli.json('config', 'set', 'rate.Acme', '95')
  const rows = await cli.json<Record<string, unknown>[]>('config')
  const names = settingTable.map(({ name }) => name.replace('rate.PATTERN', 'rate.Acme'))
  expect(rows.map(({ name }) => name)).toEqual(names)
  expect(rows.find(({ name }) => name === 'rate.Acme')).toMatchObject({ value: '95', origin: fileOf(cli) })
  expect(rows.find(({ name }) => name === 'currency')).toMatchObject({ value: null, origin: 'default' })
  const plain = (await cli.runInTerminal(200, 'config')).stdout
  expect(plain).not.toContain(fileOf(cli))
  writeFileSync(join(cli.home, '.tt.json'), '{"task": "Website/Design"}')
  const table = (await cli.runInTerminal(200, 'config', 'list', '--origin')).stdout
  expect(table).toContain('Order of precedence: options, environment variables')
  expect(table).toContain(`${join(cli.home, '.tt.json')} sets task "Website/Design".`)
  expect(table).toContain('The current profile is "local"')
  expect(table).toMatch(/^Name +Value +Origin +Description$/m)
  expect(table).toContain(fileOf(cli))
})

test('terminals of different widths show every value in full', async () => {
  const values = {
    'rate.*/*/Travel to customers': '40.00 EUR',
    'rate.Acme/Website/Design': '130.50 EUR',
    'target.daily': '7h 42m',
    holidays: '2026-12-24,2026-12-25,2026-12-26,2027-01-01,2027-04-02,2027-04-05,2027-05-01',
    billable: 'Acme,Globex,Initech/Website,Umbrella Corporation/*/Consulting',
    working_hours: '9:00-12:30,13:30-18:00',
  }
  const cli = createCliWithSettings(JSON.stringify(values))
  for (const columns of [60, 80, 100, 120] as const) {
    for (const options of [[], ['list', '--origin']]) {
      const { stdout } = await cli.runInTerminal(columns, 'config', ...options)
      const lines = stdout.split('\n')
      const table = lines.slice(0, stdout.includes('\n\n') ? lines.indexOf('') : undefined)
      expect(Math.max(...table.map(({ length }) => length))).toBeLessThanOrEqual(columns)
      const [heading = ''] = table
      const start = heading.indexOf('Value')
      const end = heading.search(/Origin|Description/)
      const column = table.map((line) => line.slice(start, end < 0 ? undefined : end).trimEnd()).join('')
      for (const value of Object.values(values))
        expect(column.replace(/ /g, '')).toContain(value.replace(/ /g, ''))
      if (columns >= 80 && options.length === 0) expect(heading).toContain('Description')
      if (options.length > 0) expect(heading).toContain('Origin')
    }
  }
})

test('the help lists every setting', async () => {
  for (const line of ['config --help', 'config set --help']) {
    const { stdout } = await createTestCli().run(...line.split(' '))
    for (const { name, description } of settingTable) {
      expect(stdout).toContain(`  ${name} `)
      expect(stdout).toContain(description)
    }
  }
})

test('an invalid value or name is a usage error with a hint', async () => {
  const cli = createTestCli()
  for (const [argv, message] of [
    [['get', 'weekstart'], 'There is no setting "weekstart". Did you mean week_start?\nRun `tt config list`'],
    [
      ['set', 'target', '40h'],
      'There is no setting "target". Did you mean target.daily, target.since or target.weekly?',
    ],
    [['set', 'target.dayly', '8h'], 'There is no setting "target.dayly". Did you mean target.daily'],
    [['unset', 'nonesuch'], 'There is no setting "nonesuch".\nRun `tt config list`'],
    [['set', 'rate.PATTERN', '95'], 'Replace PATTERN in rate.PATTERN by a client'],
    [['set', 'entry_limit', '5m'], 'entry_limit: "5m" is less than an hour.\nWrite it like `tt config set'],
  ] as const) {
    const rejected = await cli.run('config', ...argv)
    expect(rejected).toMatchObject(rejection(2, `error: ${message}`))
  }
  expect(() => statSync(fileOf(cli))).toThrow('ENOENT')
})

describe('a file written by hand', () => {
  test.each([
    ['{', 'is not JSON'],
    ['{"week_start": "someday"}', 'week_start: "someday" is not a weekday'],
    ['{"colour": "red"}', '"colour" is not a setting of this version of tt'],
  ])('with the content %s is rejected with its path and a hint', async (text, message) => {
    const rejected = await createCliWithSettings(text).run('config')
    expect(rejected).toMatchObject({ status: 2, stdout: '' })
    expect(rejected.stderr).toContain(message)
    expect(rejected.stderr).toMatch(/config\.json[\s\S]*\n.*(tt config unset (week_start|colour)|Correct it)/)
  })

  test('can be corrected with set and unset, one value at a time', async () => {
    const cli = createCliWithSettings('{"colour": "red", "size": 3, "week_start": "someday"}')
    expect((await cli.run('config', 'unset', 'colour')).stderr).toBe('Removed colour, which was red.\n')
    expect((await cli.run('config', 'unset', 'size')).stderr).toBe('Removed size, which was 3.\n')
    expect(await cli.json('config', 'set', 'week_start', 'sun')).toMatchObject({ value: 'sun' })
    expect(await cli.json('config', 'get', 'week_start')).toMatchObject({ value: 'sun' })
  })
})

test('concurrent changes of different settings are all stored', async () => {
  const cli = createTestCli()
  await Promise.all([
    cli.json('config', 'set', 'rate', '95'),
    cli.json('config', 'set', 'currency', 'EUR'),
    cli.json('config', 'set', 'entry_limit', '9h'),
  ])
  const stored = { rate: '95', currency: 'EUR', entry_limit: '9h' }
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual(stored)
})

describe('an unreadable config.json', () => {
  /** Commands that change nothing, and `tt stop`. */
  const tolerantCommands = [
    ...['status', 'status --cached', 'log', 'report', 'check', 'show @', 'projects', 'clients', 'tasks'],
    ...['assignments', 'company', 'frequent', 'whoami', 'expenses', 'expenses types', 'expenses report'],
    ...['sync list', 'undo --list', 'profiles', 'api GET /companies', 'config path', 'config path --prompt'],
    'stop',
  ]
  const strictCommands = [
    ...['start Website/Design', 'add Website/Design --from 8:00 --for 5m', 'edit @ -n x', 'cancel --yes'],
    ...['continue', 'rm @1 --yes', 'undo', 'sync', 'expenses add 1'],
    ...['config list', 'config get rate', 'config set rate 95'],
  ]

  const createTrackedCli = preparedCli('2024-05-01T09:30:00', async (cli) => {
    await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '30m')
    await cli.json('start', 'Website/Design')
  })

  // test/unit/config/config-file.test.ts has the other files that cannot be read.
  test('gives read-only commands and `tt stop` the defaults', { tags: 'slow' }, async () => {
    const cli = await createTrackedCli()
    writeFileSync(fileOf(cli), '{')
    for (const line of tolerantCommands) {
      const { status, stderr } = await cli.run(...line.split(' '))
      expect({ line, status, stderr }).toMatchObject({ line, status: 0 })
      const warning = `The settings file ${fileOf(cli)} is not JSON. The default settings are used.\n`
      expect(stderr.split(warning).length - 1).toBeLessThanOrEqual(1)
      if (['log', 'report', 'stop', 'show @'].includes(line)) expect(stderr).toContain(warning)
    }
  })

  test('makes every other command fail, and nothing changes', async () => {
    const cli = await createTrackedCli()
    writeFileSync(fileOf(cli), '{')
    const before = (await cli.run('log', '--json')).stdout
    for (const line of strictCommands) {
      const { status, stderr } = await cli.run(...line.split(' '))
      const error = `error: The settings file ${fileOf(cli)} is not JSON.\n`
      expect({ line, status, stderr }).toEqual({ line, status: 2, stderr: expect.stringContaining(error) })
    }
    expect((await cli.run('log', '--json')).stdout).toBe(before)
  })

  test('is never written: a value that makes the file larger than 64 KiB is rejected', async () => {
    const cli = createTestCli()
    await cli.json('config', 'set', 'rate', '95')
    const rejected = await cli.run('config', 'set', 'prompt_file', `/${'x'.repeat(70_000)}`)
    expect(rejected).toMatchObject(rejection(2, 'larger than 64 KiB'))
    expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({ rate: '95' })
  })
})

test('an unreadable profiles.json fails commands that need a profile, unless --profile local or TT_TOKEN decides', async () => {
  const cli = createTestCli()
  const path = join(cli.home, 'profiles.json')
  execFileSync('mkfifo', [path])
  for (const words of [['status'], ['start', 'Website/Design'], ['log']]) {
    expect(await cli.run(...words)).toMatchObject(
      rejection(1, `The profiles file ${path} is not a regular file.`),
    )
  }
  expect(await cli.run('start', 'Website/Design', '--profile', 'local')).toMatchObject({ status: 0 })
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9/api/v1', TT_TOKEN: 'x' })
  expect(await cli.run('status', '--cached')).toMatchObject({ status: 0 })
})

describe('a rate for a name that is no client', () => {
  const createCliWithTasks = preparedCli('2024-05-08T12:00:00', async (cli) => {
    for (const task of [
      'Acme/Website/Design',
      'Globex/Shop/Design',
      'Globex/Intern/Support',
      'Internal/Talk',
    ])
      await cli.json('start', task, '--create', '--yes')
  })

  test('is an error that shows the name of the setting for the project or task', async () => {
    const cli = await createCliWithTasks()
    for (const [name, message] of [
      ['Website', 'There is no client Website. For the project, use rate.Acme/Website.'],
      ['design', 'There is no client design. For the task, use rate.*/*/Design.'],
      ['Internal', 'There is no client Internal. For the project, use rate./Internal.'],
      [
        'website/Design',
        'There is no client website with Design. For the task, use rate.Acme/Website/Design.',
      ],
    ] as const) {
      const result = await cli.run('config', 'set', `rate.${name}`, '90')
      expect(result).toMatchObject({ status: 2, stdout: '', stderr: `error: ${message}\n` })
      expect((await cli.run('config', 'get', `rate.${name}`)).stdout).toBe('\n')
    }
  })

  test('warns about a name that nothing has, with the nearest one, and sets the rate', async () => {
    const cli = await createCliWithTasks()
    const set = async (name: string) => (await cli.run('config', 'set', name, '90')).stderr.split('\n')
    expect((await set('rate.Wbsite'))[0]).toBe(
      'rate.Wbsite matches nothing yet. Did you mean rate.Acme/Website?',
    )
    expect((await set('rate.Umbrella'))[0]).toBe('rate.Umbrella matches nothing yet.')
    expect((await cli.run('config', 'get', 'rate.Umbrella')).stdout).toBe('90\n')
  })

  test('is checked in the same way for round.PATTERN', async () => {
    const cli = await createCliWithTasks()
    expect((await cli.run('config', 'set', 'round.Website', '15m')).stderr).toBe(
      'error: There is no client Website. For the project, use round.Acme/Website.\n',
    )
    expect((await cli.run('config', 'set', 'round.Wbsite', '15m')).stderr).toContain(
      'round.Wbsite matches nothing yet. Did you mean round.Acme/Website?',
    )
    expect((await cli.run('config', 'set', 'round.Acme', '15 apples')).status).toBe(2)
    expect((await cli.run('config', 'set', 'round.PATTERN', '15m')).stderr).toContain(
      'Examples: round.Acme, round.Acme/Website, round.*/*/Design.',
    )
  })

  test('is accepted without a message for clients, projects and tasks', async () => {
    const cli = await createCliWithTasks()
    await cli.json('admin', 'clients', 'add', 'New')
    const names = 'acme New Acme/Website /internal */Internal */*/Support Globex/*/Design'
    for (const name of names.split(' '))
      expect(await cli.run('config', 'set', `rate.${name}`, '90')).toMatchObject({
        status: 0,
        stderr: `rate.${name} is now 90 (previously not set).\n`,
      })
  })
})

test.each(['report', 'expenses list', 'log --since monday'])(
  'tt %s reports invalid settings, not its options',
  async (line) => {
    const cli = createCliWithSettings('{"week_start":"nonsense"}')
    expect(await cli.run(...line.split(' '))).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: The settings in /),
    })
  },
)
