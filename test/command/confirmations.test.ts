import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'

/** Returns a function that creates a `TestCli` with an entry, after these commands, which a semicolon separates. */
const prepareCli = (lines: string) =>
  preparedCli('2024-05-08T12:00:00', async (cli) => {
    await cli.json('add', 'Website/Design', '--from', '9:00', '--to', '10:30')
    for (const line of lines === '' ? [] : lines.split('; ')) await cli.json(...line.split(' '))
  })

describe('--yes prints the facts that the prompt prints', () => {
  /** Commands that need confirmation or print an overlap, with the command before them and the expected facts. */
  test.each<[before: string, line: string, facts: string[]]>([
    ['', 'rm @1', ['Website / Design', '09:00', '1h 30m']],
    [
      'add Website/Review --from 11:00 --for 15m',
      'rm 1 2',
      ['Website / Design', '09:00', '1h 30m', 'Website / Review', '11:00', '15m'],
    ],
    ['start Website/Review --at 11:00', 'cancel', ['Website / Review', '1h 00m']],
    ['expenses add 5 --currency EUR', 'expenses rm 1', ['expense 1: 5.00 EUR']],
    [
      'add design --from 11:00 --to 11:30 --external-id T-1; add Website/Review --from 10:40 --for 10m',
      'join 1 2',
      ['10:30 to 11:00 (30m)', 'external ID T-1 is deleted with entry 2', 'entry 3, Website / Review, 10m'],
    ],
    [
      'add Website/Review --from 11:00 --for 15m',
      'undo 2',
      ['Added Website / Review', 'Added Website / Design'],
    ],
    ['', 'add Website/Review --from 10:00 --for 1h', ['Overlap of 30m', '10:00–10:30', 'Website / Design']],
    [
      'add Website/Review --from 11:00 --for 15m',
      'edit 2 --from 10:15',
      ['Overlap of 15m', '10:15–10:30', 'Website / Design'],
    ],
  ])('after %j: tt %s', async (before, line, facts) => {
    const argv = line.split(' ')
    const createCli = prepareCli(before)
    const cli = await createCli()
    const without = await cli.run(...argv)
    for (const fact of facts) expect(without.stderr).toContain(fact)
    const fresh = await createCli()
    const confirmed = await fresh.run(...argv, '--yes')
    expect(confirmed.status).toBe(0)
    for (const fact of facts) expect(confirmed.stderr).toContain(fact)
    const quiet = await createCli()
    expect(await quiet.run(...argv, '--yes', '--quiet')).toMatchObject({ status: 0, stderr: '' })
  })

  test.each([
    ['start', 'Website/Review'],
    ['continue', '@1'],
  ])('tt %s %s --at prints which entry it shortens, and by how much', async (command, what) => {
    const createCli = prepareCli('')
    for (const options of [['--yes'], ['--trim'], ['--yes', '--json']]) {
      const cli = await createCli()
      const { stderr } = await cli.run(command, what, '--at', '9:15', ...options)
      expect(stderr).toContain('Ended Website / Design at 09:15 instead of 10:30: 15m, 1h 15m less.')
    }
  })
})
