import { expect, test } from 'vitest'
import { PollSchedule } from '../../../../src/commands/watch/poll-schedule.js'

/** Returns the seconds until the next poll is due after each of the results. */
function pauses(results: Parameters<PollSchedule['record']>[0][], random = 1): number[] {
  const schedule = new PollSchedule(() => random)
  return results.map((result) => {
    schedule.record(result, 1_000_000)
    let seconds = 0
    while (!schedule.isDue(1_000_000 + seconds * 1000)) seconds++
    return seconds
  })
}

test('pauses grow while nothing changes and while the service fails, and are short after a change', () => {
  expect(pauses(['changed', 'unchanged', 'unchanged', 'unchanged', 'unchanged', 'unchanged'])).toEqual([
    15, 23, 34, 51, 60, 60,
  ])
  expect(pauses(['failed', 'failed', 'failed', 'failed', 'failed', 'unchanged', 'changed'])).toEqual([
    30, 60, 120, 240, 240, 60, 15,
  ])
})

test('the jitter shortens a pause by up to a quarter', () => {
  expect(pauses(['changed'], 0)).toEqual([12])
})

test('the first poll is due at once, and so is one after a reset', () => {
  const schedule = new PollSchedule()
  expect(schedule.isDue(0)).toBe(true)
  schedule.record('failed', 0)
  expect(schedule.isDue(1000)).toBe(false)
  schedule.reset()
  expect(schedule.isDue(1000)).toBe(true)
})
