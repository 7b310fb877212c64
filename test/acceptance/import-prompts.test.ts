import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { root, temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

type Row = Record<string, unknown>

const entries = (home: string) => ttJson<Row[]>(home, 'log', '--since', '2020-01-01')

/** Creates a home with these fixtures of other time trackers, and with one task. */
async function createHome(...fixtures: string[]) {
  const home = temporaryDirectory()
  for (const name of fixtures)
    copyFileSync(join(root, 'test/unit/import-export/import/fixtures', name), join(home, name))
  expect(await tt(home, ['add', 'Acme/Website/Design', '--from', '9:00', '--for', '1m'])).toMatchObject({
    status: 0,
  })
  return { home, terminal: openTerminal(home) }
}

describe('tt import in a terminal', () => {
  test('imports nothing that another process has imported while it prompted', async () => {
    const { home, terminal } = await createHome('toggl.csv')
    terminal.runTt('import toggl.csv --task Talks')
    await terminal.waitForText('? Import 3 entries from toggl.csv? (y/N)')
    const other = await tt(home, ['import', join(home, 'toggl.csv'), '--task', 'Talks', '--yes'])
    expect(other).toMatchObject({ status: 0 })
    terminal.type('y', 'Enter')
    await terminal.waitForText('Nothing to import: all 3 entries of toggl.csv were imported earlier.')
    await terminal.waitForText('exit=0')
    expect(await entries(home)).toHaveLength(4)
    // The first import is undone, not an empty one after it.
    expect(await tt(home, ['undo', '--yes'])).toMatchObject({ status: 0 })
    expect(await entries(home)).toHaveLength(1)
  })

  test('prompts for the task of projects with several, and stores the choices', async () => {
    const { home, terminal } = await createHome('frames')
    for (const task of ['Acme/Website/Review', 'calls/Chat', 'calls/Mail'])
      expect(await tt(home, ['add', task, '--from', '8:00', '--for', '1m'])).toMatchObject({ status: 0 })
    terminal.runTt('import frames')
    await terminal.waitForText(/No task is known for 2 combinations of names/)
    // The nearest task link is first.
    await terminal.waitForText(
      /\(1\/2\) Task for website \(1 entry, 1h 00m\):[\s\S]*❯ 1 Acme \/ Website \/ Design/,
    )
    terminal.type('', 'Enter')
    await terminal.waitForText('(2/2) Task for calls (1 entry, 30m):')
    // A name without a slash is a task of the project.
    terminal.type('Talks')
    await terminal.waitForText('  Create calls / Talks')
    terminal.type('', 'Down', 'Enter')
    await terminal.waitForText('? Import 2 entries from frames? (y/N)')
    terminal.type('y', 'Enter')
    await terminal.waitForText('exit=0')
    const imported = (await entries(home)).filter(({ external_id }) => external_id !== null)
    expect(imported.map(({ project, task }) => `${project}/${task}`).sort()).toEqual([
      'Website/Design',
      'calls/Talks',
    ])

    // A later file has the same names.
    const day = 1_714_635_000
    const frames = ['website', 'calls'].map((name, index) => [day, day + 600, name, `id${index}`, [], day])
    writeFileSync(join(home, 'more'), JSON.stringify(frames))
    expect(await tt(home, ['import', join(home, 'more'), '--format', 'watson', '--yes'])).toMatchObject({
      status: 0,
    })
    expect(await entries(home)).toHaveLength(8)
  })

  test('prompts for the order of day and month', async () => {
    const { home, terminal } = await createHome()
    writeFileSync(
      join(home, 'jobs.csv'),
      'Start,End,Client,Project,Task\n03/04/2024 9:00,03/04/2024 10:00,Acme,Website,Design\n',
    )
    terminal.runTt('import jobs.csv')
    await terminal.waitForText(
      /jobs\.csv: Which day is 03\/04\/2024\?[\s\S]*Wednesday, 3 April 2024 \(day first\)/,
    )
    terminal.type('month')
    // Enter selects only after the list is filtered.
    await terminal.waitForText(/❯ Monday, 4 March 2024/)
    terminal.type('', 'Enter')
    await terminal.waitForText('? Import 1 entry from jobs.csv? (y/N)')
    terminal.type('y', 'Enter')
    await terminal.waitForText('exit=0')
    expect((await entries(home)).map(({ time_start }) => String(time_start).slice(0, 10))).toContain(
      '2024-03-04',
    )
  })
})
