import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingTable } from '../../src/config/settings/setting-table.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const fileOf = (cli: TestCli) => join(cli.home, 'config.json')

function deskWith(text: string): TestCli {
  const cli = createTestCli()
  writeFileSync(fileOf(cli), text)
  return cli
}

test('set, get, list and unset tell one story', async () => {
  const cli = createTestCli()
  expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('monday\n')
  const set = await cli.runInTerminal(80, 'config', 'set', 'week_start', 'Sunday')
  expect(set).toMatchObject({ status: 0, stdout: '' })
  expect(set.stderr).toBe('week_start is now Sunday; it was monday (the default).\n')
  expect((await cli.run('config', 'set', 'week_start', 'sat')).stderr).toBe(
    'week_start is now sat; it was Sunday.\n',
  )
  expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('sat\n')
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({ week_start: 'sat' })
  expect((await cli.run('config', 'unset', 'week_start')).stderr).toBe(
    'week_start is now monday (the default); it was sat.\n',
  )
  expect((await cli.run('config', 'unset', 'week_start')).stderr).toBe('week_start is not set.\n')
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({})
})

test('the file is its owner’s alone, and a link to it stays one', async () => {
  const cli = deskWith('{}')
  const otherCli = createTestCli()
  symlinkSync(fileOf(cli), fileOf(otherCli))
  await otherCli.json('config', 'set', 'rate', '95')
  expect(readFileSync(fileOf(cli), 'utf8')).toBe('{\n  "rate": "95"\n}\n')
  expect(statSync(fileOf(cli)).mode & 0o777).toBe(0o600)
})

test('list has every setting with its value, and with --origin where it comes from', async () => {
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
  expect(table).toMatch(/^Name +Value +From +Description$/m)
  expect(table).toContain(fileOf(cli))
})

test('the help lists every setting', async () => {
  for (const line of [
    ['config', '--help'],
    ['config', 'set', '--help'],
  ]) {
    const { stdout } = await createTestCli().run(...line)
    for (const { name, description } of settingTable) {
      expect(stdout).toContain(`  ${name} `)
      expect(stdout).toContain(description)
    }
  }
})

test('path needs no file, nor one that makes sense', async () => {
  const cli = deskWith('{')
  expect((await cli.run('config', 'path')).stdout).toBe(`${fileOf(cli)}\n`)
})

describe('what cannot be', () => {
  test.each([
    [['get', 'weekstart'], 'There is no setting "weekstart". Nearest: week_start.\nRun `tt config list`'],
    [['set', 'target.dayly', '8h'], 'There is no setting "target.dayly". Nearest: target.daily'],
    [['unset', 'nonesuch'], 'There is no setting "nonesuch".\nRun `tt config list`'],
    [['set', 'rate.PATTERN', '95'], 'Replace PATTERN in rate.PATTERN by a client'],
    [['set', 'entry_limit', '5m'], 'entry_limit: "5m" is less than an hour.\nWrite it like `tt config set'],
  ])('tt config %j is a usage error that says what to do', async (words, said) => {
    const cli = createTestCli()
    const refused = await cli.run('config', ...words)
    expect(refused).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: ${said}`),
    })
    expect(() => statSync(fileOf(cli))).toThrow('ENOENT')
  })

  test('both targets are named, and the first one stays', async () => {
    const cli = createTestCli()
    await cli.json('config', 'set', 'target.daily', '8h')
    const refused = await cli.run('config', 'set', 'target.weekly', '40h')
    expect(refused).toMatchObject({ status: 2 })
    expect(refused.stderr).toContain('target.daily and target.weekly are both set.')
    expect(refused.stderr).toContain('tt config unset target.daily')
    expect(await cli.json('config', 'get', 'target.weekly')).toMatchObject({ value: null })
  })
})

describe('a file that was written by hand', () => {
  test.each([
    ['{', 'is not JSON'],
    ['[]', 'is not a JSON object'],
    ['{"week_start": 1}', 'week_start is not a string'],
    ['{"week_start": "someday"}', 'week_start: "someday" is not a weekday'],
    ['{"colour": "red"}', '"colour" is not a setting of this version of tt'],
  ])('%s is refused, with its path and what to do', async (text, words) => {
    const refused = await deskWith(text).run('config')
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain(words)
    expect(refused.stderr).toMatch(/config\.json[\s\S]*\n.*(tt config unset (week_start|colour)|Correct it)/)
  })

  test('is mended by set and unset, one value after the other', async () => {
    const cli = deskWith('{"colour": "red", "size": 3, "week_start": "someday"}')
    expect((await cli.run('config', 'unset', 'colour')).stderr).toBe('Removed colour, which was red.\n')
    expect((await cli.run('config', 'unset', 'size')).stderr).toBe('Removed size, which was 3.\n')
    expect(await cli.json('config', 'set', 'week_start', 'sun')).toMatchObject({ value: 'sun' })
    expect(await cli.json('config', 'get', 'week_start')).toMatchObject({ value: 'sun' })
  })

  test('may begin with a byte order mark', async () => {
    expect(await deskWith('\ufeff{"rate": "95"}').json('config', 'get', 'rate')).toMatchObject({
      value: '95',
    })
  })
})

test('two settings at once are both kept', async () => {
  const cli = createTestCli()
  await Promise.all([
    cli.json('config', 'set', 'rate', '95'),
    cli.json('config', 'set', 'currency', 'EUR'),
    cli.json('config', 'set', 'entry_limit', '9h'),
  ])
  expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({
    rate: '95',
    currency: 'EUR',
    entry_limit: '9h',
  })
})

describe('an unreadable config.json', () => {
  const states: [string, string, (path: string) => unknown][] = [
    ['a FIFO', 'is not a regular file', (path) => execFileSync('mkfifo', [path])],
    ['larger than 64 KiB', 'is larger than 64 KiB', (path) => writeFileSync(path, '{}'.padEnd(65_537))],
    ['invalid JSON', 'is not JSON', (path) => writeFileSync(path, '{')],
  ]
  /** Commands that change nothing, and `tt stop`. */
  const tolerant = [
    ['status'],
    ['status', '--cached'],
    ['log'],
    ['report'],
    ['report', '--gaps'],
    ['show', '@'],
    ['projects'],
    ['clients'],
    ['tasks'],
    ['links'],
    ['assignments'],
    ['company'],
    ['frequent'],
    ['whoami'],
    ['expenses'],
    ['expenses', 'types'],
    ['expenses', 'report'],
    ['sync', 'list'],
    ['undo', '--list'],
    ['profiles'],
    ['api', 'GET', '/companies'],
    ['config', 'path'],
    ['config', 'path', '--prompt'],
    ['stop'],
  ]
  const strict = [
    ['start', 'Website/Design'],
    ['add', 'Website/Design', '--from', '8:00', '--for', '5m'],
    ['edit', '@', '-n', 'x'],
    ['cancel', '--yes'],
    ['continue'],
    ['rm', '@1', '--yes'],
    ['undo'],
    ['sync'],
    ['expenses', 'add', '1'],
    ['config', 'list'],
    ['config', 'get', 'rate'],
    ['config', 'set', 'rate', '95'],
  ]

  async function damaged(make: (path: string) => unknown): Promise<TestCli> {
    const cli = createTestCli()
    await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '30m')
    await cli.json('start', 'Website/Design')
    make(fileOf(cli))
    return cli
  }

  test.each(states)(
    'that is %s gives read-only commands and `tt stop` the defaults',
    async (_, why, make) => {
      const cli = await damaged(make)
      for (const words of tolerant) {
        const { status, stderr } = await cli.run(...words)
        expect({ words, status, stderr }).toMatchObject({ words, status: 0 })
        const warning = `The settings file ${fileOf(cli)} ${why}. The default settings are used.\n`
        expect(stderr.split(warning).length - 1).toBeLessThanOrEqual(1)
        if (['log', 'report', 'stop', 'show'].includes(words[0] ?? '')) expect(stderr).toContain(warning)
      }
    },
  )

  test.each(states)(
    'that is %s makes every other command fail, and nothing changes',
    async (_, why, make) => {
      const cli = await damaged(make)
      const before = (await cli.run('log', '--json')).stdout
      for (const words of strict) {
        const { status, stderr } = await cli.run(...words)
        expect({ words, status, stderr }).toEqual({
          words,
          status: 2,
          stderr: expect.stringContaining(`error: The settings file ${fileOf(cli)} ${why}.\n`),
        })
      }
      expect((await cli.run('log', '--json')).stdout).toBe(before)
    },
  )

  test('is never written: a value that makes the file larger than 64 KiB is refused', async () => {
    const cli = createTestCli()
    await cli.json('config', 'set', 'rate', '95')
    const refused = await cli.run('config', 'set', 'prompt_file', `/${'x'.repeat(70_000)}`)
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('larger than 64 KiB') })
    expect(JSON.parse(readFileSync(fileOf(cli), 'utf8'))).toEqual({ rate: '95' })
  })
})

test('an unreadable profiles.json fails commands that need a profile, unless --profile local or TT_TOKEN decides', async () => {
  const cli = createTestCli()
  const path = join(cli.home, 'profiles.json')
  execFileSync('mkfifo', [path])
  for (const words of [['status'], ['start', 'Website/Design'], ['log']]) {
    expect(await cli.run(...words)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`The profiles file ${path} is not a regular file.`),
    })
  }
  expect(await cli.run('start', 'Website/Design', '--profile', 'local')).toMatchObject({ status: 0 })
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9/api/v1', TT_TOKEN: 'x' })
  expect(await cli.run('status', '--cached')).toMatchObject({ status: 0 })
})
