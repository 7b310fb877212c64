import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { Terminal } from '../../../src/cli/context/terminal.js'
import { AfterOutput, Resources } from '../../../src/cli/context/with-context.js'
import { Context, type ContextParts, type SendSituation, sendModeOf } from '../../../src/cli/context.js'
import type { Host } from '../../../src/cli/host.js'
import { workspacePath } from '../../../src/config/paths.js'
import { temporaryDirectory } from '../../support/process.js'
import { createTestHost, unreadText } from '../../support/test-host.js'

function createContext(ofHost: Partial<Host> = {}, parts: Partial<ContextParts> = {}) {
  const host = createTestHost({ env: { TT_HOME: temporaryDirectory() }, ...ofHost })
  const afterOutput = new AfterOutput()
  const resources = new Resources()
  const terminal = new Terminal(host, {}, afterOutput)
  const ctx = new Context({ host, options: {}, terminal, afterOutput, resources, ...parts })
  return { resources, ctx }
}

test('opens the client state on first use and once, and registers it for closing', async () => {
  const { ctx, resources } = createContext()
  const path = workspacePath(ctx.config.paths)
  expect(existsSync(path)).toBe(false)
  const state = await ctx.state()
  expect([await ctx.state(), existsSync(path)]).toEqual([state, true])
  await resources.close()
  expect(() => state.snapshot('timer')).toThrow()
})

test('shares warnings and resources with the context for another profile', async () => {
  const { ctx, resources } = createContext()
  const other = ctx.forProfile('local')
  expect(other.terminal).toBe(ctx.terminal)
  expect(other.afterOutput).toBe(ctx.afterOutput)
  const state = await other.state()
  expect(state).not.toBe(await ctx.state())
  await resources.close()
  expect(() => state.snapshot('timer')).toThrow()
})

test('warns about ignored keys of the directory file once, and names the file of its values except with a template', () => {
  const [home, stderr] = [temporaryDirectory(), new PassThrough()]
  const path = join(home, '.tt.json')
  writeFileSync(path, '{"task":"Design","color":"red"}')
  const configOf = (options: ContextParts['options']) =>
    createContext({ cwd: () => home, stderr }, { options }).ctx.config
  const config = configOf({})
  expect([config.directory?.task, config.directory?.task]).toEqual(['Design', 'Design'])
  const ignored = `Ignored in ${path}: color. Only profile, task and notes are read there.\n`
  expect(unreadText(stderr)).toBe(ignored)
  config.fromDirectory('task', 'notes')
  expect(unreadText(stderr)).toBe(`Using task from ${path}.\n`)
  expect(configOf({ template: '{label}' }).fromDirectory('task')?.task).toBe('Design')
  expect(unreadText(stderr)).toBe(ignored)
})

test('a config.json that cannot be read means the defaults, with one warning, and none for durations', async () => {
  const [home, stderr] = [temporaryDirectory(), new PassThrough()]
  writeFileSync(join(home, 'config.json'), '{')
  const { config } = createContext({ env: { TT_HOME: home }, stderr }, { allowsUnreadableSettings: true }).ctx
  expect([config.durations.format(5040), unreadText(stderr)]).toEqual(['1h 24m', ''])
  expect(await config.settings()).toMatchObject({ weekStart: 1 })
  expect(await config.uncheckedSetting('prompt_file')).toBeUndefined()
  const warning = `The settings file ${join(home, 'config.json')} is not JSON. The default settings are used.\n`
  expect(unreadText(stderr)).toBe(warning)
})

test('closes every resource once, except those that could not be opened', async () => {
  const resources = new Resources()
  const [first, last] = [{ close: vi.fn() }, { close: vi.fn(async () => {}) }]
  expect(await resources.add(Promise.resolve(first))).toBe(first)
  const failing = resources.add(Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  resources.add(Promise.resolve(last))
  await resources.close()
  await resources.close()
  expect([first.close.mock.calls.length, last.close.mock.calls.length]).toEqual([1, 1])
})

test('closes a resource that is still being opened', async () => {
  const resources = new Resources()
  let open = (_: { close(): void }) => {}
  resources.add(
    new Promise<{ close(): void }>((resolve) => {
      open = resolve
    }),
  )
  const closed = resources.close()
  const resource = { close: vi.fn() }
  open(resource)
  await closed
  expect(resource.close).toHaveBeenCalledOnce()
})

const interactive: SendSituation = {
  isTerminal: { stdin: () => true, stdout: () => true, stderr: () => true },
  hasDataOutput: false,
  input: true,
  wait: false,
  env: {},
  setting: undefined,
  pid: 4321,
}

const withoutTerminal = (name: 'stdin' | 'stdout' | 'stderr') => ({
  isTerminal: { ...interactive.isTerminal, [name]: () => false },
})

describe('a command in a terminal', () => {
  const cases: [string, Partial<SendSituation>, 'background' | 'wait'][] = [
    ['sends in the background by default', {}, 'background'],
    ['waits if standard input is no terminal', withoutTerminal('stdin'), 'wait'],
    ['waits if standard output is no terminal', withoutTerminal('stdout'), 'wait'],
    ['waits if standard error is no terminal', withoutTerminal('stderr'), 'wait'],
    ['waits if its output is data', { hasDataOutput: true }, 'wait'],
    ['waits with --no-input', { input: false }, 'wait'],
    ['ignores an empty CI', { env: { CI: '' } }, 'background'],
    ['waits with TT_TOKEN', { env: { TT_TOKEN: 'token' } }, 'wait'],
    ['ignores an empty TT_TOKEN', { env: { TT_TOKEN: '' } }, 'background'],
    ['waits as the first process of a container', { pid: 1 }, 'wait'],
    ['sends in the background with an unreadable setting', { setting: 7 }, 'background'],
    ['prefers TT_SEND to the setting', { env: { TT_SEND: 'auto' }, setting: 'wait' }, 'background'],
    ['prefers TT_SEND=wait to the setting', { env: { TT_SEND: 'wait' }, setting: 'auto' }, 'wait'],
    ['waits with the setting and an empty TT_SEND', { env: { TT_SEND: '' }, setting: 'wait' }, 'wait'],
    ['waits with --wait, also with TT_SEND=auto', { env: { TT_SEND: 'auto' }, wait: true }, 'wait'],
    ['waits in CI, also with TT_SEND=auto', { env: { TT_SEND: 'auto', CI: 'true' } }, 'wait'],
  ]
  test.each(cases)('%s', (_, difference, mode) => {
    expect(sendModeOf({ ...interactive, ...difference })).toBe(mode)
  })

  test('rejects another value of TT_SEND', () => {
    expect(() => sendModeOf({ ...interactive, env: { TT_SEND: 'later' } })).toThrow('TT_SEND is "later".')
  })
})
