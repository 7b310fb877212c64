import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

/** Creates a home with a timer that has run for 14 hours and 5 minutes. */
async function createForgottenTimer(): Promise<string> {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design', '--at', '-14h5m'])).toMatchObject({ status: 0 })
  return home
}

test('tt stop prompts for the end of a timer that ran too long, and prompts again after an invalid time', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop -n late')
  await terminal.waitForText(/When did it end\? \(now\)/)
  expect(terminal.screen()).toMatch(
    /Design has run for 14h 0\dm, since .*: longer than entry_limit \(10h 00m\)\./,
  )
  expect(await ttJson(home, 'status')).toMatchObject({ running: true })
  terminal.type('20h ago', 'Enter')
  await terminal.waitForText(/"20h ago" is not between .* and now\./)
  terminal.type('', 'C-u')
  terminal.type('soon', 'Enter')
  await terminal.waitForText('"soon" is not a time')
  terminal.type('', 'C-u')
  terminal.type('12h ago', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Stopped Website \/ Design: 2h 0\dm/)
  expect(await ttJson(home, 'log', '--since', '-2d')).toMatchObject([{ running: false, notes: 'late' }])
})

test('Enter alone stops the timer now, Ctrl-C leaves it running, and --yes, --no-input and --at skip the prompt', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('Nothing was changed.')
  expect(await ttJson(home, 'status')).toMatchObject({ running: true })

  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Stopped Website \/ Design: 14h/)
  expect(terminal.screen()).not.toContain('tt edit')

  for (const [options, hint] of [
    ['--yes', true],
    ['--no-input', true],
    ['--at -1h', false],
  ] as const) {
    expect(await tt(home, ['undo'])).toMatchObject({ status: 0 })
    terminal.runTt(`stop ${options}`)
    await terminal.waitForText('exit=0')
    expect(terminal.screen()).not.toContain('When did it end?')
    expect(terminal.screen().includes('longer than entry_limit')).toBe(hint)
  }
})

test('other commands run while the prompt is open, and its response stops no other timer', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  expect(await tt(home, ['start', 'Website/Review'])).toMatchObject({ status: 0 })
  terminal.type('12h ago', 'Enter')
  await terminal.waitForText('exit=3')
  expect(terminal.screen()).toContain('Website / Design has ended, and another timer is running.')
  expect(await ttJson(home, 'status')).toMatchObject({ running: true, task: 'Review' })
})

test('tt status shows the timer, then the progress of the day and the week', async () => {
  const home = await createForgottenTimer()
  expect(await tt(home, ['config', 'set', 'target.daily', '8h'])).toMatchObject({ status: 0 })
  const terminal = openTerminal(home)
  terminal.runTt('status')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Website \/ Design {2}14h[\s\S]*Today (.*; this|and this) week /)
})
