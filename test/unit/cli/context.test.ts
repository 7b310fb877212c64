import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Terminal } from '../../../src/cli/context/terminal.js'
import { AfterOutput, Resources } from '../../../src/cli/context/with-context.js'
import { Context, type SendSituation, sendModeOf } from '../../../src/cli/context.js'
import { workspacePath } from '../../../src/config/paths.js'
import { temporaryDirectory } from '../../support/process.js'
import { createTestHost } from '../../support/test-host.js'

function createContext() {
  const host = createTestHost({ env: { TT_HOME: temporaryDirectory() } })
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
