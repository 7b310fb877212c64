import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const aliasFile = (cli: TestCli) => join(cli.home, 'aliases.json')

const createTrackedCli = preparedCli('2024-05-02T12:00:00', async (cli) => {
  await cli.run('add', 'Website/Design', '--from', 'yesterday 9:00', '--for', '30m', '-n', 'first page')
  await cli.run('add', 'Blog/Text', '--from', 'yesterday 10:00', '--for', '1h', '-n', 'second')
})

async function createCli(aliases: Record<string, unknown> = {}) {
  const cli = await createTrackedCli()
  writeFileSync(aliasFile(cli), JSON.stringify(aliases))
  return cli
}

const projects = ['--jq', '.[].project']

describe('an alias', () => {
  test('runs its expansion with all arguments', { tags: 'slow' }, async () => {
    const cli = await createTrackedCli()
    expect(await cli.run('alias', 'set', 'standup', 'log yesterday')).toMatchObject({
      status: 0,
      stderr: 'standup now stands for: log yesterday\n',
    })
    expect(await cli.run('standup', '-n', '1', ...projects)).toMatchObject({
      status: 0,
      stdout: 'Blog\n',
      stderr: '',
    })
    expect(await cli.json('standup')).toEqual(await cli.json('log', 'yesterday'))
  })

  test.each([
    ['a placeholder', 'log yesterday --project "$1"', ['Blog'], 'Blog\n'],
    ['an argument with spaces in a placeholder', 'log yesterday --notes $1', ['first page'], 'Website\n'],
    ['arguments after the last placeholder', 'log --project $1', ['Blog', '--limit', '1'], 'Blog\n'],
    ['quotes', `log yesterday --notes 'first page'`, [], 'Website\n'],
  ])('supports %s', async (_, expansion, args, stdout) => {
    const cli = await createCli({ mine: expansion })
    expect(await cli.run('mine', ...args, ...projects)).toMatchObject({ status: 0, stdout, stderr: '' })
  })

  test.each([
    ['a missing argument', { a: 'log --project $2' }, ['a', 'x'], 'The alias "a" needs 2 arguments.'],
    ['itself', { a: 'b', b: 'c x', c: 'a' }, ['a'], 'The alias "a" contains itself: a → b → c → a.'],
    ['a value that is not text', { a: 1 }, ['a'], 'has a value for "a" that is not text.'],
    ['a NUL character', { a: '!echo a\0b' }, ['a'], 'has a value for "a" with a NUL character.'],
  ])('is an error with %s', async (_, aliases, argv, message) => {
    const cli = await createCli(aliases)
    expect(await cli.run(...argv)).toMatchObject(rejection(2, message))
  })

  test('follows options of every command, but a shell alias does not', async () => {
    const cli = await createCli({ mine: 'log yesterday --project $1', sh: '!echo' })
    for (const options of [['--json'], ['-q', '--profile', 'local', '--json'], ['--profile=local', '--json']])
      expect((await cli.run(...options, 'mine', 'Blog', '--fields', 'project')).json()).toEqual([
        { project: 'Blog' },
      ])
    expect(await cli.run('--jq', '.[].project', 'mine', 'Blog')).toMatchObject({ stdout: 'Blog\n' })
    expect(await cli.run('--json', 'sh')).toMatchObject(rejection(2, '"sh\\" is a shell alias'))
    expect(await cli.run('--profile', 'mine')).toMatchObject({ status: 2 })
  })

  test('is suggested for a mistyped name', async () => {
    const cli = await createCli({ standup: 'log' })
    const { stderr } = await cli.run('standpu', '--json')
    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'Unknown command "standpu". Did you mean standup?',
      candidates: ['standup'],
    })
    expect((await cli.run('stauts')).stderr).toContain('Did you mean status')
  })

  test('passes the exit code and the error of the command on', async () => {
    const cli = await createCli({ gone: 'show 999' })
    expect(await cli.run('gone')).toMatchObject({ status: 3 })
    expect(JSON.parse((await cli.run('gone', '--json')).stderr).error.code).toBe('not_found')
  })

  test('never replaces a command, and never comes from .tt.json', async () => {
    const cli = await createCli({ status: 'log' })
    writeFileSync(join(cli.home, '.tt.json'), '{"aliases": {"evil": "log"}, "evil": "log"}')
    expect(await cli.json('status')).toBe(null)
    expect(await cli.run('alias', 'list', '--csv')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('The alias "status" has no effect: `tt status` is a command.'),
    })
    expect((await cli.run('evil')).stderr).toContain('Unknown command "evil".')
  })
})

describe('tt alias set', () => {
  test.each([
    ['log', 'status', '"log" is a command, and an alias cannot replace it.'],
    ['a b', 'status', '"a b" cannot be the name of an alias.'],
    ['__complete', 'status', '"__complete" cannot be the name of an alias.'],
    ['a', '', 'The alias "a" has no expansion.'],
    ['a', '!', 'The alias "a" has no expansion.'],
    ['a', 'tt log', 'Omit "tt" at its beginning.'],
    ['a', 'git log', 'begins with "git", which is no command.'],
    ['a', 'other', 'The alias "a" contains itself: a → other → a.'],
    ['a', `log --notes 'x`, "A quote (') has no end"],
    ['a', 'log "$@"', 'contains $@ or $*, which only shell aliases have.'],
  ])('rejects %j for %j', async (name, expansion, message) => {
    const cli = await createCli({ other: 'a' })
    const before = readFileSync(aliasFile(cli), 'utf8')
    expect(await cli.run('alias', 'set', name, expansion)).toMatchObject(rejection(2, message))
    expect(readFileSync(aliasFile(cli), 'utf8')).toBe(before)
  })

  test('reads an expansion from standard input', async () => {
    const cli = await createCli()
    const set = (text: string) => cli.runWithInput(text, 'alias', 'set', 'a', '-')
    expect(await set(`log --notes "it's"\n`)).toMatchObject({ status: 0 })
    expect(await cli.json('alias')).toMatchObject([{ name: 'a', expansion: `log --notes "it's"` }])
    expect((await set(`log ${'x'.repeat(70_000)}`)).stderr).toContain('is larger than 64 KiB')
  })

  test('changes an alias, and marks one of --shell', async () => {
    const cli = await createCli({ a: 'log' })
    expect((await cli.run('alias', 'set', 'a', 'status')).stderr).toBe(
      'a now stands for: status (previously log)\n',
    )
    const shell = { name: 'b', expansion: '!tt log | wc -l', shell: true }
    expect(await cli.json('alias', 'set', 'b', 'tt log | wc -l', '--shell')).toEqual(shell)
    expect(await cli.json('alias')).toEqual([{ name: 'a', expansion: 'status', shell: false }, shell])
  })
})

test('tt alias rm removes an alias, and suggests the nearest name for an unknown one', async () => {
  const cli = await createCli({ standup: 'log', other: 'status' })
  expect(await cli.run('alias', 'rm', 'standpu')).toMatchObject(rejection(3, 'Did you mean standup?'))
  expect(await cli.json('alias', 'rm', 'standup')).toMatchObject({ expansion: 'log' })
  expect(await cli.json('alias', 'list')).toMatchObject([{ name: 'other' }])
})

describe('tt alias import', () => {
  const importText = (cli: TestCli, aliases: unknown, ...options: string[]) =>
    cli.runWithInput(JSON.stringify(aliases), 'alias', 'import', '-', ...options)

  test('adds all aliases of a file or of standard input', async () => {
    const cli = await createCli()
    writeFileSync(join(cli.home, 'mine.json'), '\ufeff{"a": "log", "b": "a --csv"}')
    expect(await cli.run('alias', 'import', 'mine.json')).toMatchObject({ stderr: 'Imported 2 aliases.\n' })
    expect(await importText(cli, { c: 'b' })).toMatchObject({ status: 0 })
    expect(await cli.json('alias')).toHaveLength(3)
  })

  test.each([
    ['a command', { a: 'status', log: 'status' }, '"log" is a command'],
    ['another expansion', { b: 'status', old: 'report' }, 'The alias "old" already exists'],
    [
      'a shell alias, which is shown on a line of its own',
      { b: 'status', c: '!echo 1\n  b: log\u001b[2K' },
      'These aliases run in a shell:\n  c: !echo 1↵  b: log\\x1b[2K\n',
    ],
    ['a list', ['log'], 'The standard input is not a JSON object.'],
  ])('adds none with %s', async (_, aliases, message) => {
    const cli = await createCli({ old: 'log' })
    for (const options of [[], ['--yes']])
      expect(await importText(cli, aliases, ...options)).toMatchObject(rejection(2, message))
    expect(await cli.json('alias')).toMatchObject([{ name: 'old', expansion: 'log' }])
  })

  test('replaces aliases with --clobber, and accepts shell aliases with --shell', async () => {
    const cli = await createCli({ old: 'log' })
    expect(await importText(cli, { old: 'report', c: '!echo' }, '--clobber', '--shell')).toMatchObject({
      status: 0,
    })
    expect(await cli.json('alias')).toMatchObject([{ expansion: '!echo' }, { expansion: 'report' }])
  })
})

test('tt alias import reads what tt alias list prints through the expression in its help', async () => {
  const cli = await createCli({ a: 'log', b: '!echo' })
  const { stdout } = await cli.run('alias', 'list', '--jq', 'map({(.name): .expansion}) | add')
  const other = await createCli()
  expect(await other.runWithInput(stdout, 'alias', 'import', '-', '--shell')).toMatchObject({ status: 0 })
  expect(await other.json('alias')).toEqual(await cli.json('alias'))
})

test('tt help --all lists the aliases, and tt help ALIAS shows its command', async () => {
  const cli = await createCli({ standup: 'log yesterday', sh: '!echo', log: 'status' })
  expect((await cli.run('help', '--all')).stdout).toMatch(
    /\n\nAliases:\n {2}sh +!echo\n {2}standup +log yesterday\n\n/,
  )
  const help = await cli.run('help', 'standup')
  expect(help.stdout).toBe(
    `standup is an alias. It stands for: log yesterday\n\n${(await cli.run('help', 'log')).stdout}`,
  )
  expect((await cli.run('help', 'sh')).stdout).toBe('sh is an alias. It stands for: !echo\n')
  expect((await cli.run('help', 'standpu')).stderr).toContain('Did you mean standup?')
  expect((await createTestCli().run('help', '--all')).stdout).not.toContain('Aliases:')
  writeFileSync(aliasFile(cli), '{')
  expect(await cli.run('help', '--all')).toMatchObject({ status: 0, stderr: '' })
})

describe('completion', () => {
  const aliases = {
    standup: 'log yesterday',
    of: 'log --project $1 --task $2',
    nested: 'of Website',
    sh: '!echo',
    loop: 'loop',
  }
  const complete = async (...words: string[]) => {
    const cli = await createCli(aliases)
    const { stdout } = await cli.run('__complete', '--', ...words)
    return stdout.split('\n').map((line) => line.split('\t')[0])
  }

  test('offers aliases where a command can stand, and for tt alias rm', async () => {
    expect(await complete('stan')).toContain('standup')
    expect(await complete('help', 'stan')).toContain('standup')
    expect(await complete('alias', 'rm', 'nes')).toContain('nested')
    expect(await complete('expenses', 'stan')).not.toContain('standup')
  })

  test.each([
    ['an option', ['standup', '--mark'], '--markdown'],
    ['the value of an option', ['standup', '--project', 'Web'], 'Website'],
    ['a placeholder', ['of', 'Bl'], 'Blog'],
    ['the second placeholder', ['of', 'Blog', 'Te'], 'Text'],
    ['a placeholder of another alias', ['nested', 'Des'], 'Design'],
  ])('completes %s in the expanded command', async (_, words, candidate) => {
    expect(await complete(...words)).toContain(candidate)
  })

  test.each(['sh', 'loop'])('offers nothing after %s', async (name) => {
    expect(await complete(name, '')).toEqual([''])
  })
})
