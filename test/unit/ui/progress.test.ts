import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProgressIndicator } from '../../../src/ui/progress.js'
import { createTestHost, unreadText } from '../../support/test-host.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.spyOn(process, 'uptime').mockImplementation(() => performance.now() / 1000)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function terminal(isEnabled = true, env: Record<string, string> = {}, isTTY = true) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 20 })
  let interrupt = () => {}
  const host = createTestHost({
    stderr,
    promptOutput: stderr,
    env,
    onInterrupt: (then) => {
      interrupt = then
    },
  })
  return {
    progress: new ProgressIndicator(host, isEnabled),
    interrupt: () => interrupt(),
    written: () => unreadText(stderr),
  }
}

const line = (text: string) => `\r\u001b[K${text}`

test('a wait is shown after half a second, until it ends', () => {
  const { progress, written } = terminal()
  const waiting = progress.start(() => 'Loading')
  vi.advanceTimersByTime(499)
  waiting.tick()
  expect(written()).toBe('')
  vi.advanceTimersByTime(1)
  expect(written()).toBe(line('Loading'))
  waiting.end()
  expect(written()).toBe(line(''))
})

test('a wait that starts late in a command is shown at once', () => {
  const { progress, written } = terminal()
  progress.start(() => 'first').end()
  vi.advanceTimersByTime(600)
  progress.start(() => 'second')
  expect(written()).toBe(line('second'))
})

test('ticks show the progress of synchronous work ten times per second', () => {
  const { progress, written } = terminal()
  let count = 0
  const waiting = progress.start(() => `${count} so far`)
  for (; count < 100; count++) {
    vi.advanceTimersByTime(10)
    waiting.tick()
  }
  expect(written().split(line('')).slice(1)).toEqual([
    '49 so far',
    '59 so far',
    '69 so far',
    '79 so far',
    '89 so far',
    '99 so far',
  ])
})

test('the text of the outermost wait is shown unless it is empty', () => {
  const { progress, written } = terminal()
  let outer = ''
  const around = progress.start(() => outer)
  const within = progress.start(() => 'within')
  vi.advanceTimersByTime(500)
  expect(written()).toBe(line('within'))
  outer = 'around'
  around.show()
  expect(written()).toBe(line('around'))
  within.end()
  expect(written()).toBe('')
  around.end()
  expect(written()).toBe(line(''))
})

test('a line is never wider than the terminal', () => {
  const { progress, written } = terminal()
  progress.start(() => 'x'.repeat(50)).show()
  expect(written()).toBe(line('x'.repeat(19)))
})

test('Ctrl-C removes the line permanently', () => {
  const { progress, written, interrupt } = terminal()
  const waiting = progress.start(() => 'Loading')
  waiting.show()
  interrupt()
  waiting.show()
  waiting.end()
  expect(written()).toBe(line('Loading') + line(''))
})

test.each([
  ['it is disabled', terminal.bind(undefined, false)],
  ['TERM is dumb', terminal.bind(undefined, true, { TERM: 'dumb' })],
  ['CI is set', terminal.bind(undefined, true, { CI: 'true' })],
  ['standard error is not a terminal', terminal.bind(undefined, true, {}, false)],
])('shows nothing when %s', (_, createTerminal) => {
  const { progress, written } = createTerminal()
  const waiting = progress.start(() => 'Loading')
  vi.advanceTimersByTime(500)
  waiting.show()
  waiting.end()
  progress.clear()
  expect(written()).toBe('')
})
