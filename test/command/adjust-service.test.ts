// @module-tag slow

import { describe, expect, test } from 'vitest'
import { dropRequest, dropResponse, type Fault, noFault, respondToChanges } from '../support/proxy.js'
import { formatEntries, log } from './adjust-fixtures.js'
import { preparedService, type Row, type ServiceSetup } from './service-fixtures.js'

const now = '2024-05-08T12:00:00Z' // 14:00 local time

/** Commands with the commands before them, the expected entries and their requests. */
const scenarios = {
  split: {
    before: [['add', 'design', '--from', '9:00', '--to', '12:00', '-n', 'x']],
    line: ['split', '@1', '--at', '10:00', '--at', '11:00'],
    expected: ['09:00–10:00 x', '10:00–11:00 x', '11:00–12:00 x'],
    requests: ['POST', 'POST', 'PATCH'],
  },
  'split of a running timer': {
    before: [['start', 'design', '--at', '11:00', '-n', 'x']],
    line: ['split', '@', '--at', '12:00', '--at', '13:00'],
    expected: ['11:00–12:00 x', '12:00–13:00 x', '13:00–runs x'],
    requests: ['POST', 'PATCH', 'POST'],
  },
  join: {
    before: [
      ['add', 'design', '--from', '9:00', '--to', '10:00', '-n', 'a'],
      ['add', 'design', '--from', '10:00', '--to', '11:00', '-n', 'b'],
      ['add', 'design', '--from', '11:00', '--to', '12:00', '-n', 'c'],
    ],
    line: ['join', '@1', '@2', '@3'],
    expected: ['09:00–12:00 a; b; c'],
    requests: ['PATCH', 'DELETE', 'DELETE'],
  },
  'join with a running timer': {
    before: [
      ['add', 'design', '--from', '11:00', '--to', '13:00', '-n', 'a'],
      ['start', 'design', '--at', '13:00'],
    ],
    line: ['join', '@1', '@'],
    expected: ['11:00–runs a'],
    requests: ['PATCH', 'DELETE', 'PATCH'],
  },
}

type Scenario = (typeof scenarios)[keyof typeof scenarios]

const preparedSetUps = new Map<Scenario, () => Promise<ServiceSetup>>()

/** Sets up a service after the commands before the line, with all entries cached. */
async function setUpScenario(scenario: Scenario): Promise<ServiceSetup> {
  const setUp = preparedSetUps.get(scenario) ?? preparedService((setup) => runBefore(setup, scenario))
  preparedSetUps.set(scenario, setUp)
  const setup = await setUp()
  setup.cli.setTime('2024-05-08T12:05:00Z')
  return setup
}

async function runBefore({ cli }: ServiceSetup, { before }: Scenario) {
  let minute = 0
  for (const line of before) {
    cli.setTime(`2024-05-08T12:0${minute++}:00Z`)
    await cli.json(...line)
  }
  await cli.run('log')
}

/** Lets a fault change the requests from this change on, or only this one. */
const faultFrom = (failing: number, fault: Fault, isOnce = false): Fault => {
  let count = 0
  return (request, forward) => {
    if (request.method !== 'GET') count++
    const fails = request.method !== 'GET' && (isOnce ? count === failing : count >= failing)
    return fails ? fault(request, forward) : forward()
  }
}

const closedTask = { error: 'unprocessable', errors: { task_link_id: ['is closed'] } }
const rejectClosedTask = respondToChanges(422, closedTask)

describe.each(Object.entries(scenarios))('%s with a service', (_, scenario) => {
  const { line, expected, requests } = scenario

  test('sends its requests in an order that loses no time and never runs two timers', async () => {
    const { cli, entries, takeChanges, proxy } = await setUpScenario(scenario)
    const runningBefore = (await entries()).filter(({ time_end }) => time_end === null).length
    let maxRunning = 0
    proxy.fault = async (_request, forward) => {
      const response = await forward()
      maxRunning = Math.max(maxRunning, (await entries()).filter(({ time_end }) => time_end === null).length)
      return response
    }
    expect(await cli.run(...line)).toMatchObject({ status: 0 })
    expect(takeChanges().map(({ method }) => method)).toEqual(requests)
    expect(maxRunning).toBe(runningBefore)
    expect(formatEntries(await entries())).toEqual(expected)
  })

  test.each([
    ['its response is lost', dropResponse],
    ['it never arrives', dropRequest],
  ])('is completed once when, for any of its requests, %s', async (_name, fault) => {
    for (let failing = 1; failing <= requests.length; failing++) {
      const { cli, entries, proxy } = await setUpScenario(scenario)
      proxy.fault = faultFrom(failing, fault)
      expect(await cli.run(...line)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('Saved locally'),
      })
      expect(await log(cli), `before sync, ${failing}`).toEqual(expected)
      proxy.fault = noFault
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
      expect(formatEntries(await entries()), `request ${failing}`).toEqual(expected)
      expect(await log(cli)).toEqual(expected)
      expect(await cli.json('sync', 'list')).toEqual([])
    }
  })

  test('loses no time when the service rejects a request, and continues after a retry', async () => {
    for (let failing = 1; failing <= requests.length; failing++) {
      const { cli, entries, proxy, takeChanges } = await setUpScenario(scenario)
      const minutesBefore = coveredQuarters(await entries())
      proxy.fault = faultFrom(failing, rejectClosedTask, true)
      expect(await cli.run(...line)).toMatchObject({ status: 7 })
      // Later changes stay pending.
      expect(takeChanges()).toHaveLength(failing)
      if (line[0] === 'join' || line[1] === '@1')
        expect(coveredQuarters(await entries())).toEqual(expect.arrayContaining(minutesBefore))
      const [rejectedChange] = (await cli.json<Row[]>('sync', 'list')).filter(
        ({ state }) => state === 'refused',
      )
      expect(await cli.run('sync', 'retry', String(rejectedChange?.id))).toMatchObject({ status: 0 })
      expect(formatEntries(await entries()), `request ${failing}`).toEqual(expected)
    }
  })
})

/** Returns every tracked quarter of an hour, in epoch milliseconds; a running entry ends at 14:00. */
function coveredQuarters(rows: readonly Row[]): number[] {
  const found = new Set<number>()
  for (const { time_start, time_end } of rows) {
    const end = Date.parse(String(time_end ?? now))
    for (let at = Date.parse(String(time_start)); at < end; at += 900_000) found.add(at)
  }
  return [...found].sort()
}

test('discarding a rejected part of a split discards the dependent changes', async () => {
  const scenario = scenarios.split
  const { cli, entries, proxy } = await setUpScenario(scenario)
  proxy.fault = respondToChanges(422, { error: 'unprocessable' })
  expect(await cli.run(...scenario.line)).toMatchObject({ status: 7 })
  proxy.fault = noFault
  const [rejectedChange] = await cli.json<Row[]>('sync', 'list')
  const discarded = await cli.run('sync', 'discard', String(rejectedChange?.id), '--yes')
  expect(discarded).toMatchObject({ status: 0, stderr: 'Discarded 3 changes.\n' })
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(formatEntries(await entries())).toEqual(['09:00–12:00 x'])
})

test('changes that depend on a rejected change are sent after its correction', async () => {
  const scenario = scenarios.join
  const { cli, entries, proxy, takeChanges } = await setUpScenario(scenario)
  proxy.fault = respondToChanges(422, { error: 'unprocessable' })
  expect(await cli.run(...scenario.line)).toMatchObject({ status: 7 })
  proxy.fault = noFault
  takeChanges()
  const [{ id } = {}] = await entries()
  expect(await cli.run('edit', String(id), '--to', '12:00', '-n', 'all')).toMatchObject({ status: 0 })
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(takeChanges().map(({ method }) => method)).toEqual(['PATCH', 'DELETE', 'DELETE'])
  expect(formatEntries(await entries())).toEqual(['09:00–12:00 all'])
})

describe('tt edit of several entries', () => {
  test('sets the task and notes of all, and is undone as one change', async () => {
    const { cli, entries, takeChanges } = await setUpScenario(scenarios.join)
    const edited = await cli.json<Row[]>('edit', '@1', '@2', '@1', '--task', 'review', '-n', 'x')
    expect(edited).toMatchObject([
      { task: 'Review', notes: 'x' },
      { task: 'Review', notes: 'x' },
    ])
    expect(takeChanges().map(({ method }) => method)).toEqual(['PATCH', 'PATCH'])
    expect(formatEntries(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 x', '11:00–12:00 x'])
    expect((await cli.run('undo')).stderr).toContain('Undid: Changed Website / Design; Website / Design.')
    expect(formatEntries(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 b', '11:00–12:00 c'])
  })

  test('changes the other entries when the service rejects one', async () => {
    const { cli, entries, proxy } = await setUpScenario(scenarios.join)
    proxy.fault = faultFrom(1, respondToChanges(422), true)
    expect(await cli.run('edit', '@1', '@2', '-n', 'x')).toMatchObject({ status: 7 })
    expect(formatEntries(await entries())).toEqual(['09:00–10:00 a', '10:00–11:00 x', '11:00–12:00 c'])
  })
})
