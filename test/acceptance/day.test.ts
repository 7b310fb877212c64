import { expect, test } from 'vitest'
import { temporaryDirectory, tt, zoneWithHour } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

test('tt and tt log show no wrapped lines in terminals of 40, 60, 80 and 120 columns', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const TZ = zoneWithHour(12)
  const home = temporaryDirectory()
  const terminal = openTerminal(home, { TZ })
  terminal.runTt('')
  await terminal.waitForText(/To begin:\n +tt start Website +start a timer\n/)
  for (const argv of [
    ['add', 'Northern Lights Observatory/Website/Accessibility review', '--from', '-3h', '--for', '30m'],
    ['add', 'Internal/Planning', '--from', '-2h', '--for', '20m', '-n', 'quarter goals'],
    ['start', 'Acme/Website/Design', '--at', '-5m', '-n', 'landing page'],
    ['config', 'set', 'target.daily', '8h'],
    ['config', 'set', 'working_days', 'mon,tue,wed,thu,fri,sat,sun'],
  ])
    expect(await tt(home, argv, { TZ })).toMatchObject({ status: 0 })
  for (const columns of [40, 60, 80, 120]) {
    terminal.resize(columns, 24)
    terminal.runTt('')
    await terminal.waitForText('exit=0')
    const [, shown = ''] = /^(Timer[\s\S]*)^exit=0/m.exec(terminal.screen()) ?? []
    const lines = shown.trimEnd().split('\n')
    expect(lines).toContainEqual(expect.stringMatching(/^Timer +5m {2}since /))
    expect(lines).toContainEqual(expect.stringMatching(/^Today +\S.* of +8h 00m {2}.*│$/))
    expect(lines).toContainEqual(expect.stringMatching(/^Week +\S.* of +\d+h 00m {2}.*│/))
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}tt continue @1 {2}Internal \/ Planning/))
    // A wrapped line would begin with a part of a word.
    const start = /^( {2}tt continue @\d {2}\S| {7}Acme \/|Timer|Today|Week)/
    for (const line of lines) expect(line).toMatch(start)

    terminal.runTt('log')
    await terminal.waitForText('exit=0')
    const [heading = '', ...log] =
      /^(ID[\s\S]*)^exit=0/m.exec(terminal.screen())?.[1]?.trimEnd().split('\n') ?? []
    expect(heading).toMatch(/^ID {2}From .*Duration.* {2}Proj\S+ +Task\b/)
    for (const line of log)
      expect(line).toMatch(/^( *\d+ {2}\d\d:\d\d .*\dm[ *].* {2}\S{3}|\w{3} \d{4}-|3 entries|\* Times|$)/)
  }
})
