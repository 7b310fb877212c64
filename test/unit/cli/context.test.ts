import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { Terminal } from '../../../src/cli/context/terminal.js'
import { AfterOutput, Resources } from '../../../src/cli/context/with-context.js'
import { Context, type SendSituation, sendModeOf } from '../../../src/cli/context.js'
import type { Host } from '../../../src/cli/host.js'
import { workspacePath } from '../../../src/config/paths.js'
import { temporaryDirectory } from '../../support/process.js'
import { createTestHost, unreadText } from '../../support/test-host.js'

function createContext(parts: Partial<Host> = {}) {
  const host = createTestHost({ env: { TT_HOME: temporaryDirectory() }, ...parts })
  const afterOutput = new AfterOutput()
  const resources = new Resources()
  const terminal = new Terminal(host, {}, afterOutput)
  return { resources, ctx: new Context({ host, options: {}, terminal, afterOutput, resources }) }
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

test('warns about ignored keys of the directory file once', () => {
  const [home, stderr] = [temporaryDirectory(), new PassThrough()]
  writeFileSync(join(home, '.tt.json'), '{"task":"Design","color":"red"}')
  const { config } = createContext({ cwd: () => home, stderr }).ctx
  expect([config.directory?.task, config.directory?.task]).toEqual(['Design', 'Design'])
  const message = `Ignored in ${join(home, '.tt.json')}: color. Only profile, task and notes are read there.\n`
  expect(unreadText(stderr)).toBe(message)
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
