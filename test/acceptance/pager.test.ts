import { spawnSync } from 'node:child_process'
import { beforeEach, expect, test, vi } from 'vitest'
import { createSeededHome } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  skip(spawnSync('less', ['--version']).error !== undefined, 'less is not installed')
})

const logAll = 'log --since 1990-01-01'

test('a list longer than the screen opens in less, in colour, and quitting it early exits with 0', async () => {
  const terminal = openTerminal(await createSeededHome(2000))
  terminal.runTt(logAll)
  await terminal.waitForText(/\n:$/m)
  expect(terminal.screen()).toMatch(/ ID +From /)
  expect(terminal.screen()).not.toContain('ESC')
  terminal.type(' ')
  await terminal.waitForText(/^(?![\s\S]* ID +From )[\s\S]*\n:$/m)
  terminal.type('q')
  await terminal.waitForText('exit=0')
})

test('Ctrl-C stays in less', async () => {
  const terminal = openTerminal(await createSeededHome(2000))
  terminal.runTt(logAll)
  await terminal.waitForText(/\n:$/m)
  terminal.type('', 'C-c')
  // less discards pending input on the signal.
  const atEnd = () => {
    terminal.type('G')
    expect(terminal.screen()).toContain('(END)')
  }
  await vi.waitFor(atEnd, { timeout: 120_000, interval: 200 })
  terminal.type('q')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).not.toContain('Interrupted')
})

test('long help opens in the pager, and machine-readable output does not', async () => {
  const terminal = openTerminal(await createSeededHome(200))
  terminal.runTt('help --all')
  await terminal.waitForText(/\n:$/m)
  expect(terminal.screen()).toContain('Usage: tt')
  terminal.type('q')
  await terminal.waitForText('exit=0')
  terminal.runTt(`${logAll} --ndjson`)
  await terminal.waitForText('exit=0')
})
