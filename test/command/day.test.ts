import { expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest } from '../support/proxy.js'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Creates a `TestCli` on a Wednesday with entries of three tasks and a timer. */
const createDayCli = preparedCli('2024-05-08T15:00:00', async (cli) => {
  await cli.json('add', 'Internal/Planning', '--from', '2024-05-06 9:00', '--for', '8h')
  await cli.json('add', 'Acme/Website/Review', '--from', '2024-05-07 9:00', '--for', '4h')
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h', '-n', 'grid')
  await cli.json('add', 'design', '--from', '10:00', '--for', '1h', '-n', 'header')
  await cli.json('add', 'review', '--from', '11:00', '--for', '1h', '-n', 'contrast')
  await cli.json('start', 'Website/Design', '--at', '14:30', '-n', 'landing page')
  await cli.json('config', 'set', 'target.daily', '8h')
})

test('tt in a terminal shows the timer, today and the week with bars, and the last tasks', async () => {
  const cli = await createDayCli()
  const { status, stdout, stderr } = await cli.runInTerminal(80)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`\
Timer      30m  since 14:30  Acme / Website / Design  landing page
Today   3h 30m of  8h 00m  #############                |
Week   15h 30m of 40h 00m  ############                 |  8h 30m due today

  tt continue @1  Acme / Website / Review  contrast
  tt continue @5  Internal / Planning
`)
  await cli.json('stop')
  const lines = (await cli.runInTerminal(80)).stdout.split('\n')
  expect(lines.slice(0, 1)).toEqual(['Timer  No timer is running.'])
  expect(lines.slice(4, 7)).toEqual([
    '  tt continue @1  Acme / Website / Design  landing page',
    '  tt continue @2  Acme / Website / Review  contrast',
    '  tt continue @6  Internal / Planning',
  ])
  // The references are those of tt continue.
  expect(await cli.json('continue', '@6')).toMatchObject({ project: 'Internal', task: 'Planning' })
})

test('tt shows no bars without a target, and tells which day has none', async () => {
  const cli = await createDayCli()
  await cli.json('config', 'set', 'holidays', '2024-05-08')
  expect((await cli.runInTerminal(80)).stdout).toContain(`
Today   3h 30m  no target
Week   15h 30m of 32h 00m  `)
  await cli.json('config', 'unset', 'target.daily')
  expect((await cli.runInTerminal(80)).stdout).toContain('\nToday   3h 30m\nWeek   15h 30m\n\n')
})

test('tt in an empty workspace shows commands that work there', async () => {
  const cli = createTestCli()
  await cli.run('status') // Announces the workspace.
  for (const columns of [40, 120]) {
    const { status, stdout, stderr } = await cli.runInTerminal(columns)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(`\
No time is tracked yet. To begin:
  tt start Website      start a timer
  tt add Website 2h     add two hours
  tt import report.csv  import entries

\`tt help\` lists the commands.
`)
  }
  const words = (await cli.runInTerminal(80)).stdout.matchAll(/^ {2}tt (.*?) {2}/gm)
  for (const [, line = ''] of [...words].slice(0, 2))
    expect(await cli.run(...line.split(' '))).toMatchObject({ status: 0 })
  expect((await cli.runInTerminal(80)).stdout).toContain('since 09:30  Website / General')
})

test('tt shows cached data of a service without a request, and pending changes', async () => {
  const { cli, proxy } = await setUpService()
  expect((await cli.runInTerminal(80)).stdout).toContain('tt tasks  list the tasks\n')
  await cli.json('add', 'design', '--from', '2024-05-08 9:00', '--for', '1h', '-n', 'header')
  await cli.json('start', 'review')
  await cli.json('config', 'set', 'target.daily', '8h')
  proxy.requests.splice(0)
  const shown = await cli.runInTerminal(80)
  expect(shown.stdout).toMatch(/^Timer .* Review\nToday .* of +8h 00m/)
  expect(shown.stdout).toContain('tt continue @1  ')
  expect(shown.stdout).not.toContain('change')
  // The names of tasks are no longer recent.
  const { time_start: start } = await cli.json('status', '--cached')
  cli.setTime(new Date(Date.parse(String(start)) + 5 * 3600_000).toISOString())
  expect((await cli.runInTerminal(80)).stdout).toMatch(/^Timer +5h 00m .* Review\n/)
  expect((await cli.runInTerminal(80, 'status', '--cached')).stdout).toMatch(/^Timer +5h 00m .* Review\n/)
  expect(proxy.requests).toEqual([])

  proxy.fault = dropRequest
  await cli.run('stop')
  await cli.run('start', 'design')
  proxy.requests.splice(0)
  expect((await cli.runInTerminal(80)).stdout).toMatch(
    /\n\n2 pending changes: The service at .* cannot be\nreached \(connection lost\)\. `tt sync` sends them\.\n$/,
  )
  expect(proxy.requests).toEqual([])
})

test.each([40, 60, 80, 120])('tt fits a terminal of %d columns', async (columns) => {
  const cli = await createDayCli()
  for (const argv of [[], ['status'], ['status', '--cached']]) {
    const { status, stdout, stderr } = await cli.runInTerminal(columns, ...argv)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThan(columns + 1)
    expect(stdout).toMatch(/^Today +3h 30m of +8h 00m {2}#+ +\|$/m)
    expect(stdout).toContain('Acme / Website / Design')
  }
})

test('tt in a pipe prints what tt status prints', async () => {
  const cli = await createDayCli()
  for (const line of [['start', 'review'], ['stop']]) {
    expect(await cli.run()).toEqual({ ...(await cli.run('status')), json: expect.any(Function) })
    await cli.run(...line)
  }
  expect(await cli.run()).toMatchObject({ status: 0, stdout: '' })
})
