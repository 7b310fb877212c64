import { describe, expect, test } from 'vitest'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const hour = 3_600_000

/** Creates a timer that started at 09:00; the machine then slept for so many hours. */
async function createSleptCli(hours: number): Promise<TestCli> {
  const cli = createTestCli('2024-05-01T09:00:00')
  await cli.json('start', 'Website/Design')
  cli.setTime('2024-05-01T09:10:00')
  cli.suspend(hours * hour)
  return cli
}

const sleptText =
  'It ran for 2h 10m, and this machine slept for 2h 00m of that time, longer than sleep_limit (30m). ' +
  'If it ended earlier, run `tt edit @1 --to TIME`.\n'

describe('after the machine slept for longer than sleep_limit', () => {
  test('tt stop warns in a script', async () => {
    const { status, stderr } = await (await createSleptCli(2)).run('stop')
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `Stopped Website / Design: 2h 10m (09:00–11:10).\n${sleptText}`,
    })
  })

  test.each([
    ['start', 'Website/Review'],
    ['continue', '2'],
  ])('tt %s warns of the timer that it stops', async (...argv) => {
    const cli = await createSleptCli(2)
    await cli.json('add', 'design', '6-7')
    const { status, stderr } = await cli.run(...argv)
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(sleptText) })
    await cli.json('edit', '@1', '--to', '9:10')
    expect(await cli.json('show', '@1')).toMatchObject({ duration_seconds: 600 })
  })

  test('tt status and reminders mention it', { tags: 'slow' }, async () => {
    const cli = await createSleptCli(2)
    expect((await cli.run('status')).stderr).toBe('This machine slept for 2h 00m while the timer ran.\n')
    expect((await cli.run('status', '--json')).stderr).toBe('')
    expect(await cli.json('remind')).toMatchObject({
      due: [
        {
          kind: 'sleep',
          message: 'This machine slept for 2h 00m while a timer ran, since 09:00: Website / Design.',
        },
      ],
    })
  })

  test('a timer that started after the sleep is not in doubt', async () => {
    const cli = await createSleptCli(2)
    await cli.run('start', 'Website/Review')
    expect((await cli.run('status')).stderr).toBe('')
    cli.setTime('2024-05-01T14:00:00')
    expect((await cli.run('status')).stderr).toBe('')
    expect((await cli.run('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  })

  test('an edited timer is still in doubt', async () => {
    const cli = await createSleptCli(2)
    await cli.json('edit', '@', '--from', '8:50', '-n', 'late')
    expect((await cli.run('stop')).stderr).toContain('slept for 2h 00m')
  })

  test('sleep before a restart of the machine is not counted, and that after it is', async () => {
    const cli = await createSleptCli(2)
    cli.restart('2024-05-01T12:00:00')
    expect((await cli.run('status')).stderr).toBe('')
    cli.suspend(hour)
    expect((await cli.run('status')).stderr).toBe('This machine slept for 1h 00m while the timer ran.\n')
  })
})

test('sleep up to sleep_limit causes no message', async () => {
  expect((await (await createSleptCli(0.5)).run('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  const cli = await createSleptCli(2)
  await cli.json('config', 'set', 'sleep_limit', '3h')
  expect((await cli.run('status')).stderr).toBe('')
  expect((await cli.run('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  expect(await cli.run('config', 'set', 'sleep_limit', '10s')).toMatchObject({ status: 2 })
})

test('tt stop --at a given time has no message about sleep', async () => {
  const cli = await createSleptCli(2)
  expect((await cli.run('stop', '--at', '9:10')).stderr).toBe(
    'Stopped Website / Design: 10m (09:00–09:10).\n',
  )
})

describe('after the clock was set back', () => {
  async function createEarlyCli() {
    const cli = createTestCli('2024-05-01T10:00:20')
    await cli.json('start', 'Website/Design')
    cli.setTime('2024-05-01T09:00:00')
    return cli
  }
  const message =
    'error: The clock shows 09:00, but the running timer started at 10:00: the clock was set back.\n' +
    'Correct the clock, or end the timer at its start with `tt stop --at "2024-05-01 10:00:20"`, or at a later time.\n'

  test.each([[['stop']], [['start', 'Website/Review']], [['stop', '--at', '8:30']]])(
    'tt %j names the clock and changes nothing',
    async (argv) => {
      const cli = await createEarlyCli()
      const { status, stderr } = await cli.run(...argv)
      expect({ status, stderr }).toEqual({ status: 2, stderr: message })
      expect(await cli.json('status')).toMatchObject({ running: true, task: 'Design' })
    },
  )

  test.each([
    ['2024-05-01 10:00:20', 0],
    ['10:30', 1780],
  ])('tt stop --at %j ends the timer', async (at, seconds) => {
    const cli = await createEarlyCli()
    expect(await cli.json('stop', '--at', at)).toMatchObject({ running: false, duration_seconds: seconds })
    expect(await cli.json('start', 'Website/Review')).toMatchObject({ running: true })
  })
})
