import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exitStatus } from '../../src/lib/errors.js'
import { topics } from '../../src/program/help/topics.js'
import { createProgram } from '../../src/program/program.js'
import { listExamples } from '../support/examples.js'
import { rejection } from '../support/rejection.js'
import { createTestCli } from '../support/test-cli.js'

describe('tt help', () => {
  test.each([[], ['start'], ['expenses'], ['expenses', 'add'], ['admin', 'user', 'add'], ['help']])(
    'prints the same text as --help: %j %j %j',
    async (...words) => {
      const path = words.filter((word) => word !== undefined)
      const cli = createTestCli()
      const shown = await cli.run('help', ...path)
      expect(shown).toMatchObject({ status: 0, stderr: '' })
      expect(shown.stdout).toBe((await cli.run(...path, '--help')).stdout)
      expect(readdirSync(cli.home)).toEqual([])
    },
  )

  test.each(topics.map(({ name, summary }) => [name, summary]))(
    'prints the topic %s in lines of at most 80 characters',
    async (name, summary) => {
      const cli = createTestCli()
      const { status, stdout, stderr } = await cli.run('help', name)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout.split('\n')[0]).toBe(`${name}: ${summary}`)
      // Examples to copy are not wrapped.
      for (const line of stdout.split('\n'))
        if (!line.startsWith('    ')) expect(line.length).toBeLessThan(81)
      expect(await cli.json('help', name)).toEqual({ name, text: stdout })
      expect((await cli.run('help', '--all')).stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
    },
  )

  test.each([
    ['tme', 'Did you mean time'],
    ['strat', 'Did you mean start'],
    ['expenses ad', 'Did you mean expenses add'],
    ['zzzzzzzzzzz', 'Run `tt help --all` to list the commands and topics.'],
  ])('suggests the nearest name for %j: %s', async (words, hint) => {
    expect(await createTestCli().run('help', ...words.split(' '))).toMatchObject(rejection(2, hint))
  })

  test('prints the topic billing, which names the settings and commands in at most 20 lines', async () => {
    const cli = createTestCli()
    const { stdout } = await cli.run('help', 'billing')
    expect(stdout).toMatch(/^billing: /)
    expect(stdout.trimEnd().split('\n').length).toBeLessThan(21)
    for (const part of ['rate.Acme/Website', 'billable', 'target.weekly', 'sender', '-o ', 'tt expenses add'])
      expect(stdout).toContain(part)
    for (const word of ['rate', 'rates', 'target', 'billable', 'sender'])
      expect(await cli.run('help', word)).toMatchObject({ status: 0, stdout, stderr: '' })
  })

  test('says how to move a project to a client', async () => {
    const { stdout } = await createTestCli().run('projects', '--help')
    expect(stdout).toMatch(/ rename <project> <name> +rename a project, or move it to a client\n/)
    expect(stdout).toContain('$ tt projects rename Website Acme/Website\n')
  })

  test('no topic has the name of a command', async () => {
    const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
    const names = tree.commands.map((command) => command.name())
    const words = topics.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(words.filter((word) => names.includes(word))).toEqual([])
    expect(new Set(words).size).toBe(words.length)
  })
})

test('every command has at least two examples, and one begins with it', async () => {
  const examples = await listExamples()
  expect(examples.flatMap(({ lines }) => lines.filter((line) => !line.startsWith('tt ')))).toEqual([])
  const lacking = examples.filter(
    ({ command, lines }) => lines.length < 2 || !lines.some((line) => line.startsWith(`tt ${command}`)),
  )
  // Command groups, whose subcommands have the examples.
  expect(lacking.map(({ command }) => command)).toEqual([
    'admin user',
    'admin token',
    'admin app',
    'admin projects',
    'admin clients',
    'admin tasks',
    'admin expense-types',
  ])
})

test('the topics name every variable that the program reads', () => {
  const src = new URL('../../src/', import.meta.url)
  const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file.replaceAll('\\', '/'), src), 'utf8'))
  const read = texts.flatMap((text) => [
    ...[...text.matchAll(/\benv\.([A-Z][A-Z_]+)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/\{([^{}]*)\} = (?:\w+\.)*env\b/g)].flatMap(
      ([, names = '']) => names.match(/[A-Z][A-Z_]+/g) ?? [],
    ),
  ])
  // Set by the system, the terminal or CI, not by users.
  const undocumented =
    /^(HOME|PATH|(LOCAL)?APPDATA|PROGRAMFILES|TERM(_PROGRAM)?|(VTE|KONSOLE)_VERSION|WT_SESSION|SSH_(TTY|CONNECTION)|CI)$/
  const documented = JSON.stringify(topics.find(({ name }) => name === 'environment'))
  expect(read.length).toBeGreaterThan(20)
  expect(
    [...new Set(read)].filter(
      (name) => !new RegExp(`\\b${name}\\b`).test(documented) && !undocumented.test(name),
    ),
  ).toEqual([])
})

test('the topic of exit codes lists every exit code', () => {
  const [part] = topics.find(({ name }) => name === 'exit-codes')?.parts ?? []
  const rows = typeof part === 'object' && 'rows' in part ? part.rows : []
  expect(rows.map(([status]) => Number(status))).toEqual([0, ...Object.values(exitStatus)])
  expect(rows.slice(1).map(([, text]) => /^`(\w+)`: /.exec(text)?.[1])).toEqual(Object.keys(exitStatus))
})
