import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest } from '../support/proxy.js'
import { setUpService } from './service-fixtures.js'

const createCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '8:00', '--for', '1h', '-n', 'first page')
})

describe('-o writes', () => {
  test.each([
    ['report', 'x.csv', '--csv'],
    ['report', 'x.json', '--json'],
    ['report', 'x.md', '--markdown'],
    ['report', 'X.HTML', '--html'],
    ['log', 'x.csv', '--csv'],
    ['timesheet', 'x.md', '--markdown'],
    ['admin report', 'x.html', '--html'],
  ])('what tt %s prints to %s, as with %s', async (command, name, option) => {
    const cli = await createCli()
    const words = command.split(' ')
    const { stdout } = await cli.run(...words, option)
    expect(stdout).toContain('Website')
    expect(await cli.run(...words, '-o', name)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining(`Wrote ${join(cli.home, name)}.\n`),
    })
    expect(readFileSync(join(cli.home, name), 'utf8')).toBe(stdout)
    // The option of the same format is accepted, and a terminal changes nothing.
    await cli.runInTerminal(40, ...words, option, '-o', name, '--yes')
    expect(readFileSync(join(cli.home, name), 'utf8')).toBe(stdout)
  })

  test('what a jq expression returns', async () => {
    const cli = await createCli()
    expect((await cli.run('report', '--jq', '.seconds', '-o', 'x.json')).status).toBe(0)
    expect(readFileSync(join(cli.home, 'x.json'), 'utf8')).toBe('3600\n')
    expect(await cli.run('report', '--jq', 'error("no")', '-o', 'y.json')).toMatchObject({ status: 1 })
    expect(readdirSync(cli.home).filter((name) => name.startsWith('y.json'))).toEqual([])
  })

  test('to standard output for "-"', async () => {
    const cli = await createCli()
    expect((await cli.run('report', '--csv', '-o', '-')).stdout).toContain('Website,3600')
  })
})

describe('an existing file', () => {
  test.each(['report -o x.html', 'export -o x.json'])(
    'is replaced only with --yes in a script: tt %s',
    async (line) => {
      const cli = await createCli()
      const argv = line.split(' ')
      const path = join(cli.home, String(argv.at(-1)))
      writeFileSync(path, 'previous')
      expect(await cli.run(...argv)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: `error: Confirmation required: Replace ${path}. Cannot prompt: not running in a terminal.\nAdd --yes to confirm.\n`,
      })
      expect(readFileSync(path, 'utf8')).toBe('previous')
      expect((await cli.run(...argv, '--yes')).status).toBe(0)
      expect(readFileSync(path, 'utf8')).toContain('Website')
    },
  )

  test('stays as it was when the entries cannot be read', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    writeFileSync(join(cli.home, 'x.json'), 'previous')
    proxy.fault = dropRequest
    for (const command of ['report', 'log', 'export'])
      expect((await cli.run(command, 'week', '-o', 'x.json', '--yes')).status).toBe(6)
    expect(readFileSync(join(cli.home, 'x.json'), 'utf8')).toBe('previous')
    expect(readdirSync(cli.home).filter((name) => name.startsWith('x.json'))).toEqual(['x.json'])
  })
})

describe('one error', () => {
  const reportFiles = 'the extension must be .html, .pdf, .csv, .json or .md.'
  test.each([
    ['report -o x.txt', 2, `Cannot write "x.txt": ${reportFiles}`],
    ['log -o x.html', 2, 'Cannot write "x.html": the extension must be .csv, .json, .md or .ics.'],
    ['timesheet -o x.pdf', 2, 'Cannot write "x.pdf": the extension must be .csv, .json or .md.'],
    ['report --csv -o x.html', 2, '--csv and -o x.html cannot be used together.\nUse one of them.'],
    ['report --chart -o x.html', 2, '--chart and -o x.html cannot be used together.\nUse one of them.'],
    [
      'report --jq . -o x.csv',
      2,
      '--jq and -o x.csv cannot be used together.\nUse one of them: jq filters JSON.',
    ],
    ['log --fields id -o x.ics', 2, '-o x.ics and --fields cannot be used together.\nUse one of them.'],
    ['report --html x.html', 2, '"x.html" is not a period.\nUse `-o x.html` to write a file.'],
    ['report --html -', 2, '"-" is not a period.\nOmit "-".'],
    ['log x.csv', 2, '"x.csv" is not a period.\nUse `-o x.csv` to write a file.'],
    ['report --html=x.html', 2, '--html FILE was removed. Use `tt report -o FILE.html`.'],
    ['report -o folder.csv', 2, 'HOME/folder.csv is a directory.\nGive the name of a file.'],
    ['report -o no/x.csv', 1, 'The directory HOME/no does not exist.\nCreate it first, or use another path.'],
  ])('for tt %s', async (line, status, message) => {
    const cli = await createCli()
    mkdirSync(join(cli.home, 'folder.csv'))
    const before = readdirSync(cli.home)
    const result = await cli.run(...line.split(' '))
    expect({ ...result, stderr: result.stderr.replaceAll(cli.home, 'HOME') }).toMatchObject({
      status,
      stdout: '',
      stderr: `error: ${message}\n`,
    })
    expect(readdirSync(cli.home)).toEqual(before)
  })
})

describe('a filter by an unknown name', () => {
  test.each([
    'report -o x.html',
    'report --compare last-week -o x.json',
    'log -o x.csv',
    'timesheet -o x.csv',
    'export -o x.json',
    'export --format timewarrior -o files',
  ])('is an error, and no file is written: tt %s', async (command) => {
    const cli = await createCli()
    const files = () =>
      readdirSync(cli.home, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ name }) => name)
    const before = files()
    for (const [filters, message] of [
      [['--client', 'Acmee'], '"Acmee" matches no client. Did you mean Acme?'],
      [
        ['--project', 'Website', '--project', 'qqq', '--task', 'Design', '--task', 'zzz'],
        '"qqq" matches no project. "zzz" matches no task.',
      ],
    ] as const)
      expect(await cli.run(...command.split(' '), ...filters)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: `error: ${message}\nNo file was written.\n`,
      })
    expect(files()).toEqual(before)
  })

  test('of a user is an error of tt admin report, and no file is written', async () => {
    const cli = await createCli()
    const { status, stderr } = await cli.run('admin', 'report', '--user', 'zzz', '-o', 'x.html')
    expect([status, stderr]).toEqual([2, 'error: "zzz" matches no user.\nNo file was written.\n'])
    expect(readdirSync(cli.home)).not.toContain('x.html')
  })

  test('is a warning without a file, and the empty report suggests the list of all entries', async () => {
    const cli = await createCli()
    const message = '"Acmee" matches no client. Did you mean Acme?\n'
    expect(await cli.run('report', '--json', '--client', 'Acmee')).toMatchObject({
      status: 0,
      stderr: message,
    })
    expect(await cli.run('report', '--csv', '--client', 'Acmee', '-o', '-')).toMatchObject({ status: 0 })
    const { stderr } = await cli.runInTerminal(80, 'report', 'may', '--client', 'Acmee')
    expect(stderr).toBe(
      `${message}No matching entries from 2024-05-01 to 2024-05-31. \`tt log all\` lists all.\n`,
    )
  })
})

test('an error of a period names no option that the command does not have', async () => {
  const { status, stderr } = await (await createCli()).run('check', 'x.csv')
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('"x.csv" is not a period'),
  })
  expect(stderr).not.toContain('-o')
})
