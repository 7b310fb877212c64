import { spawnSync } from 'node:child_process'
import { beforeEach, expect, test, vi } from 'vitest'
import { temporaryDirectory, tt } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  skip(spawnSync('less', ['--version']).error !== undefined, 'less is not installed')
})

const everything = 'log --since 1990-01-01'

/** A home with that many entries. */
async function seeded(entries: number): Promise<string> {
  const home = temporaryDirectory()
  const outcome = await tt(home, ['admin', 'seed', '--entries', String(entries), '--until', '2024-05-31'])
  expect(outcome).toMatchObject({ status: 0 })
  return home
}

test('a list longer than the screen opens in less, in colour, and quitting it early exits with 0', async () => {
  const terminal = openTerminal(await seeded(2000))
  terminal.runTt(everything)
  await terminal.waitForText(/\n:$/m)
  expect(terminal.screen()).toMatch(/ ID +From /)
  expect(terminal.screen()).not.toContain('ESC')
  terminal.type(' ')
  await terminal.waitForText(/^(?![\s\S]* ID +From )[\s\S]*\n:$/m)
  terminal.type('q')
  await terminal.waitForText('exit=0')
})

test('Ctrl-C stays in less', async () => {
  const terminal = openTerminal(await seeded(2000))
  terminal.runTt(everything)
  await terminal.waitForText(/\n:$/m)
  terminal.type('', 'C-c')
  // less discards pending input on the signal.
  const atEnd = () => {
    terminal.type('G')
    expect(terminal.screen()).toContain('(END)')
  }
  await vi.waitFor(atEnd, { timeout: 10_000, interval: 200 })
  terminal.type('q')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).not.toContain('Interrupted')
})

test('a short list, and every list with an empty TT_PAGER, is printed without a pager', async () => {
  const home = await seeded(20)
  const terminal = openTerminal(home)
  terminal.runTt(`${everything} --limit 5`)
  await terminal.waitForText('exit=0')
  const unpaged = openTerminal(await seeded(200), { TT_PAGER: '' })
  unpaged.runTt(everything)
  await unpaged.waitForText('exit=0')
  expect(unpaged.scrollback()).toMatch(/ ID +From /)
})

test('long help opens in the pager, and machine-readable output does not', async () => {
  const terminal = openTerminal(await seeded(200))
  terminal.runTt('--help')
  await terminal.waitForText(/\n:$/m)
  expect(terminal.screen()).toContain('Usage: tt')
  terminal.type('q')
  await terminal.waitForText('exit=0')
  terminal.runTt(`${everything} --ndjson`)
  await terminal.waitForText('exit=0')
})

test('the exit status is that of the command', async () => {
  const terminal = openTerminal(await seeded(200), { TT_PAGER: 'head -1' })
  terminal.runTt(everything)
  await terminal.waitForText('exit=0')
  terminal.runTt(`${everything} --fields nonesuch`)
  await terminal.waitForText('exit=2')
})
