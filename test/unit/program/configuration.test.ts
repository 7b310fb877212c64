import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Invocation } from '../../../src/cli/command.js'
import { readInput } from '../../../src/cli/read-input.js'
import { type UntypedOption, variableOf, withConfiguration } from '../../../src/program/configuration.js'
import { createProgram } from '../../../src/program/program.js'
import { temporaryDirectory } from '../../support/process.js'

/** Parses a command line with the environment and service.json. */
async function configured(argv: string[], env: Record<string, string> = {}, file?: unknown) {
  const directory = temporaryDirectory()
  if (file !== undefined)
    writeFileSync(join(directory, 'service.json'), typeof file === 'string' ? file : JSON.stringify(file))
  let parsed: [Invocation, readonly UntypedOption[] | undefined] | undefined
  const invoke = async (...invocation: [Invocation, (readonly UntypedOption[])?]) => {
    parsed = [invocation[0], invocation[1]]
  }
  const program = await createProgram({ invoke, writeOut: () => {}, writeErr: () => {} }, argv[0])
  await program.parseAsync(argv, { from: 'user' })
  const [invocation, untyped = []] = parsed ?? []
  if (!invocation) throw new Error('Nothing was invoked.')
  const result = withConfiguration(invocation, untyped, { env, cwd: () => directory })
  const nameOption = (flag: string) => result.nameOption?.(flag) ?? flag
  const named = untyped.map(({ flag }) => [flag, nameOption(flag)] as const)
  const sources = Object.fromEntries(named.filter(([flag, name]) => name !== flag))
  return { invocation: result, nameOption, sources }
}

/** Returns the options, and the sources of those that were not typed. */
async function optionsOf(...line: Parameters<typeof configured>) {
  const { invocation, sources } = await configured(...line)
  return { ...invocation.input.options, sources }
}

it('prefers the option to the environment, the environment to the file of TT_CONFIG, and the file to the default', async () => {
  const file = { host: '0.0.0.0', port: 1111, database: 'sqlite:file.db' }
  const env = {
    TT_PORT: '2222',
    TT_DATABASE: 'sqlite:environment.db',
    TT_HOST: '',
    TT_CONFIG: 'service.json',
  }
  const argv = ['serve', '--database', 'sqlite:typed.db']
  expect(await optionsOf(argv, env, file)).toMatchObject({
    database: 'sqlite:typed.db',
    port: '2222',
    host: '0.0.0.0',
    logLevel: 'info',
    sources: { '--port': 'TT_PORT', '--host': '"host" in service.json' },
  })
})

it('reads every option of tt serve from the environment', async () => {
  const program = await createProgram(
    { invoke: async () => {}, writeOut: () => {}, writeErr: () => {} },
    'serve',
  )
  const serve = program.commands[0]?.build()
  const own = serve?.options.filter(({ helpGroupHeading }) => helpGroupHeading !== 'Common options:') ?? []
  const flags = own
    .map(({ long }) => (long ?? '').replace('--no-', '--'))
    .filter((flag) => flag !== '--config')
  expect(flags).toContain('--public-url')
  const env = Object.fromEntries(flags.map((flag) => [variableOf(flag), 'true']))
  const { sources } = await optionsOf(['serve'], env)
  expect(sources).toEqual(Object.fromEntries(flags.map((flag) => [flag, variableOf(flag)])))
  expect(env).toMatchObject({ TT_PUBLIC_URL: 'true', TT_DATABASE: 'true', TT_METRICS_PORT: 'true' })
})

it('uses the file and the environment of tt serve only for the options that a command has', async () => {
  const argv = ['admin', 'user', 'list']
  const file = { database: 'sqlite:file.db', port: 1111 }
  const fromFile = await optionsOf([...argv, '--config', 'service.json'], {}, file)
  expect(fromFile).toMatchObject({ database: 'sqlite:file.db' })
  expect(fromFile).not.toHaveProperty('port')
  const fromEnvironment = await optionsOf(argv, { TT_DATABASE: 'sqlite:e.db', TT_PORT: '1111' })
  expect(fromEnvironment).toMatchObject({ database: 'sqlite:e.db', sources: { '--database': 'TT_DATABASE' } })
  expect(fromEnvironment).not.toHaveProperty('port')
})

it.each([
  ['true', true],
  ['YES', true],
  ['false', false],
  ['no', false],
])('reads the flag %s', async (text, value) => {
  expect(await optionsOf(['serve'], { TT_PREPARED_STATEMENTS: text })).toMatchObject({
    preparedStatements: value,
  })
  const file = { 'prepared-statements': value }
  expect(await optionsOf(['serve', '--config', 'service.json'], {}, file)).toMatchObject({
    preparedStatements: value,
  })
})

it.each([
  [
    { 'publik-url': 'https://a.example' },
    'service.json: there is no option "publik-url". Did you mean public-url?',
  ],
  [{ config: 'other.json' }, 'service.json: there is no option "config".'],
  [{ port: [1] }, 'service.json: "port" must be a text, a number, true or false.'],
  [
    { 'prepared-statements': 'maybe' },
    '"prepared-statements" in service.json must be true or false, not "maybe".',
  ],
  [[], 'service.json is not a JSON object.'],
  ['{', 'service.json is not JSON.'],
])('rejects the file %j', async (file, message) => {
  const options = optionsOf(['serve', '--config', 'service.json'], {}, file)
  await expect(options).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) })
})

it('rejects a missing file, and a variable that is neither true nor false', async () => {
  await expect(optionsOf(['serve', '--config', 'none.json'])).rejects.toThrow(
    'There is no configuration file none.json.',
  )
  await expect(optionsOf(['serve'], { TT_PREPARED_STATEMENTS: '2' })).rejects.toThrow(
    'TT_PREPARED_STATEMENTS must be true or false, not "2".',
  )
})

it('turns an option with an optional value on by true and off by false', async () => {
  const value = async (text: string) =>
    ((await optionsOf(['serve'], { TT_TRUST_PROXY: text })) as Record<string, unknown>).trustProxy
  expect(await Promise.all(['false', '2', '10.0.0.0/8', 'true'].map(value))).toEqual([
    false,
    '2',
    '10.0.0.0/8',
    true,
  ])
})

it('names the source of a value instead of its option in errors', async () => {
  const messageOf = async (...line: Parameters<typeof configured>) => {
    const { invocation, nameOption } = await configured(...line)
    const ctx = { nameOption, now: new Date(0), config: {}, entries: async () => {} } as never
    return readInput(invocation, ctx).then(
      () => 'none',
      (error: Error) => error.message,
    )
  }
  expect(await messageOf(['serve'], { TT_PORT: 'x' })).toBe('TT_PORT: "x" is not a port.')
  const file = ['serve', '--config', 'service.json']
  expect(await messageOf(file, {}, { 'public-url': 'x' })).toContain('"public-url" in service.json')
  expect(await messageOf(['serve'], { TT_TRUST_PROXY: '1' })).toBe('TT_TRUST_PROXY requires --public-url.')
  expect(await messageOf(['serve', '--port', 'x'], { TT_PORT: '1' })).toBe('--port: "x" is not a port.')
})
