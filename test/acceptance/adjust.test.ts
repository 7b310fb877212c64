import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { setUpService } from '../command/service-fixtures.js'
import { bin, cleanEnvironment, temporaryDirectory, tt, ttJson, waitForExit } from '../support/process.js'
import { noFault } from '../support/proxy.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

test('join prompts before it adds untracked time: n, Enter alone and Ctrl-C keep both entries, y joins them', async ({
  skip,
}) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = temporaryDirectory()
  for (const from of ['9:00', '10:30']) {
    const line = ['add', 'Website/Design', '--from', `2024-05-01 ${from}`, '--for', '1h']
    expect(await tt(home, line)).toMatchObject({ status: 0 })
  }
  const entries = () => ttJson<unknown[]>(home, 'log', '--since', '2024-05-01')
  const terminal = openTerminal(home)
  for (const [answer, key, status, count] of [
    ['n', 'Enter', 1, 2],
    ['', 'Enter', 1, 2],
    ['', 'C-c', 130, 2],
    ['y', 'Enter', 0, 1],
  ] as const) {
    terminal.runTt('join 1 2')
    await terminal.waitForText(/Nothing was tracked from 2024-05-01 10:00 to 10:30 \(30m\)[\s\S]*\(y\/N\)/)
    terminal.type(answer, key)
    await terminal.waitForText(`exit=${status}`)
    expect(await entries()).toHaveLength(count)
  }
  expect(await entries()).toMatchObject([{ id: 1, duration_seconds: 9000 }])
})

const day = '2024-05-08'

describe.each([
  [
    'split',
    ['split', '1', '--at', `${day} 10:00`, '--at', `${day} 11:00`],
    ['09–10', '10–11', '11–12', '12–13'],
  ],
  ['join', ['join', '1', '2'], ['09–13']],
])('a killed tt %s', (_, line, expected) => {
  test.each([
    ['killed before a request arrives', false],
    ['killed after the service has executed a request', true],
  ])('is completed once by the next tt sync, %s', async (_when, isDone) => {
    const requests = expected.length > 1 ? 3 : 2
    for (let killed = 1; killed <= requests; killed++) {
      const { cli, proxy, entries } = await setUpService()
      for (const [from, to] of [
        ['9:00', '12:00'],
        ['12:00', '13:00'],
      ] as const)
        await cli.json('add', 'design', '--from', `${day} ${from}`, '--to', `${day} ${to}`)
      const env = cleanEnvironment({
        TT_HOME: cli.home,
        TT_BASE_URL: proxy.url,
        TT_TOKEN: cli.env.TT_TOKEN ?? '',
      })
      let count = 0
      proxy.fault = async (request, forward) => {
        if (request.method === 'GET' || ++count < killed) return forward()
        if (isDone) await forward()
        child.kill('SIGKILL')
        await request.closed
        return undefined
      }
      const child = spawn(process.execPath, [bin, ...line], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      expect((await waitForExit(child)).signal).toBe('SIGKILL')
      proxy.fault = noFault
      cli.setTime(new Date().toISOString())
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
      const hour = (time: unknown) => new Date(String(time)).toTimeString().slice(0, 2)
      const found = (await entries()).map((row) => `${hour(row.time_start)}–${hour(row.time_end)}`).sort()
      expect(found, `request ${killed}`).toEqual(expected)
      expect(await cli.json('sync', 'list')).toEqual([])
    }
  })
})
