import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt } from '../support/process.js'
import { openTerminal, tmuxIsMissing } from '../support/terminal.js'

beforeEach(({ skip }) => skip(tmuxIsMissing, 'tmux is not installed'))

test('join asks before time counts that nobody tracked: n, Enter alone and Ctrl-C keep both, y joins them', async () => {
  const home = temporaryDirectory()
  for (const from of ['9:00', '10:30']) {
    const line = ['add', 'Website/Design', '--from', `2024-05-01 ${from}`, '--for', '1h']
    expect(await tt(home, line)).toMatchObject({ status: 0 })
  }
  const entries = async () =>
    JSON.parse((await tt(home, ['log', '--since', '2024-05-01', '--json'])).stdout) as unknown[]
  const terminal = openTerminal(home)
  for (const [answer, key, status, left] of [
    ['n', 'Enter', 0, 2],
    ['', 'Enter', 0, 2],
    ['', 'C-c', 130, 2],
    ['y', 'Enter', 0, 1],
  ] as const) {
    terminal.command('join 1 2')
    await terminal.shows(/Nothing was tracked from 2024-05-01 10:00 to 10:30 \(30m\)[\s\S]*\(y\/N\)/)
    terminal.type(answer, key)
    await terminal.shows(`exit=${status}`)
    expect(await entries()).toHaveLength(left)
  }
  expect(await entries()).toMatchObject([{ id: 1, duration_seconds: 9000 }])
})
