import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

/** Creates a home with two tasks of the same name, each with an entry. */
async function createAmbiguousHome(): Promise<string> {
  const home = temporaryDirectory()
  for (const [task, from] of [
    ['App/Design', '2024-05-01 9:00'],
    ['Website/Design', '2024-05-01 10:00'],
  ] as const) {
    expect(await tt(home, ['add', task, '--from', from, '--for', '1h'])).toMatchObject({ status: 0 })
  }
  return home
}

const allEntries = ['log', '--since', '2024-05-01'] as const

test('an ambiguous task opens a picker, where typing filters and Enter picks', async () => {
  const home = await createAmbiguousHome()
  const terminal = openTerminal(home)
  terminal.runTt('start design -n picked')
  await terminal.waitForText(/"design" matches several tasks:[\s\S]*App \/ Design[\s\S]*Website \/ Design/)
  terminal.type('web')
  await terminal.waitForText(/tasks: web\n(?!.*App)[\s\S]*Website \/ Design/)
  expect(terminal.screen()).not.toContain('App / Design')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Started Website \/ Design at \d\d:\d\d\./)
  expect(await ttJson(home, 'status')).toMatchObject({ project: 'Website', notes: 'picked', running: true })
})

test('the arrow keys move through the picker', async () => {
  const home = await createAmbiguousHome()
  const terminal = openTerminal(home)
  terminal.runTt('start')
  await terminal.waitForText(/Which task\?[\s\S]*❯ 1 App \/ Design\n\s+2 Website \/ Design/)
  terminal.type('', 'Down')
  await terminal.waitForText('❯ 2 Website / Design')
  terminal.type('', 'Enter')
  await terminal.waitForText(/Notes\?[\s\S]*❯ No notes/)
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await ttJson(home, 'status')).toMatchObject({ project: 'Website' })
})

test('Ctrl-C in the picker exits with 130 and changes nothing', async () => {
  const home = await createAmbiguousHome()
  const before = await ttJson(home, ...allEntries)
  const terminal = openTerminal(home)
  terminal.runTt('start design')
  await terminal.waitForText('❯ 1 App / Design')
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('Cancelled. Nothing was changed.')
  expect(terminal.screen()).not.toContain('error:')
  expect(await ttJson(home, 'status')).toBeNull()
  expect(await ttJson(home, ...allEntries)).toEqual(before)
})

test('rm prompts: n and Enter alone keep the entry with exit 1, Ctrl-C with 130, and y deletes it', async () => {
  const home = await createAmbiguousHome()
  const terminal = openTerminal(home)
  for (const [answer, key, status] of [
    ['n', 'Enter', 1],
    ['', 'Enter', 1],
    ['', 'C-c', 130],
  ] as const) {
    terminal.runTt('rm @1')
    await terminal.waitForText(/Delete Website \/ Design, 2024-05-01 10:00, 1h 00m\? \(y\/N\)/)
    terminal.type(answer, key)
    await terminal.waitForText(`exit=${status}`)
    expect(terminal.screen()).toContain('Cancelled. Nothing was changed.')
    expect(terminal.screen()).not.toContain('error:')
    expect(await ttJson(home, ...allEntries)).toHaveLength(2)
  }
  terminal.runTt('rm @1')
  await terminal.waitForText(/Delete Website \/ Design.*\(y\/N\)/)
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toContain('Deleted Website / Design')
  expect(await ttJson(home, ...allEntries)).toMatchObject([{ project: 'App' }])
})

test.each([
  'start --no-input',
  'start design --no-input',
  'start Desing --no-input',
  'rm @1 --no-input',
  'start design --json',
  'rm @1 --json',
  'start design 2>messages',
  'rm @1 </dev/null',
])('tt %s does not prompt and exits with 2', async (line) => {
  const home = await createAmbiguousHome()
  const terminal = openTerminal(home)
  terminal.runTt(line)
  await terminal.waitForText('exit=2')
  expect(terminal.screen()).not.toMatch(/❯|y\/N/)
  expect(await ttJson(home, 'status')).toBeNull()
  expect(await ttJson(home, ...allEntries)).toHaveLength(2)
})

test('--yes skips prompts, also in a terminal', async () => {
  const home = await createAmbiguousHome()
  const terminal = openTerminal(home)
  terminal.runTt('rm @1 @2 --yes')
  await terminal.waitForText('exit=0')
  expect(await ttJson(home, ...allEntries)).toEqual([])
})
