import { describe, expect, test } from 'vitest'
import { type SendSituation, sendModeOf } from '../../../../src/cli/background/send-mode.js'

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
    ['waits with --wait', { wait: true }, 'wait'],
    ['waits in continuous integration', { env: { CI: 'true' } }, 'wait'],
    ['ignores an empty CI', { env: { CI: '' } }, 'background'],
    ['waits with TT_TOKEN', { env: { TT_TOKEN: 'token' } }, 'wait'],
    ['ignores an empty TT_TOKEN', { env: { TT_TOKEN: '' } }, 'background'],
    ['waits as the first process of a container', { pid: 1 }, 'wait'],
    ['waits with the setting', { setting: 'wait' }, 'wait'],
    ['sends in the background with the default setting', { setting: 'auto' }, 'background'],
    ['sends in the background with an unreadable setting', { setting: 7 }, 'background'],
    ['waits with TT_SEND=wait', { env: { TT_SEND: 'wait' } }, 'wait'],
    ['prefers TT_SEND to the setting', { env: { TT_SEND: 'auto' }, setting: 'wait' }, 'background'],
    ['prefers TT_SEND=wait to the setting', { env: { TT_SEND: 'wait' }, setting: 'auto' }, 'wait'],
    ['ignores an empty TT_SEND', { env: { TT_SEND: '' }, setting: 'wait' }, 'wait'],
    ['waits for --wait also with TT_SEND=auto', { env: { TT_SEND: 'auto' }, wait: true }, 'wait'],
    ['waits in CI also with TT_SEND=auto', { env: { TT_SEND: 'auto', CI: '1' } }, 'wait'],
  ]
  test.each(cases)('%s', (_, difference, mode) => {
    expect(sendModeOf({ ...interactive, ...difference })).toBe(mode)
  })

  test('rejects another value of TT_SEND', () => {
    expect(() => sendModeOf({ ...interactive, env: { TT_SEND: 'later' } })).toThrow('TT_SEND is "later".')
  })
})
