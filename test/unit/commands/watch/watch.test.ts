import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PollSchedule, WatchedFiles } from '../../../../src/commands/watch/watch.js'
import { temporaryDirectory } from '../../../support/process.js'

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

test('notices that a file is written, created and removed, but no empty log', () => {
  const home = temporaryDirectory()
  const [file, log] = [join(home, 'state.db'), join(home, 'state.db-wal')]
  writeFileSync(file, 'one')
  const files = new WatchedFiles([file, log], () => {})
  onTestFinished(() => files.close())
  expect(files.hasChanged()).toBe(false)
  writeFileSync(file, 'two and more')
  expect([files.hasChanged(), files.hasChanged()]).toEqual([true, false])
  writeFileSync(log, 'page')
  expect(files.hasChanged()).toBe(true)
  rmSync(log)
  expect(files.hasChanged()).toBe(true)
  writeFileSync(log, '') // Reading creates and removes an empty log.
  expect(files.hasChanged()).toBe(false)
})

test('calls back on events of its files, and not of others', async () => {
  const home = temporaryDirectory()
  const onEvent = vi.fn()
  const files = new WatchedFiles([join(home, 'state.db')], onEvent)
  onTestFinished(() => files.close())
  writeFileSync(join(home, 'other'), 'x')
  writeFileSync(join(home, 'state.db'), 'x')
  await vi.waitFor(() => expect(onEvent).toHaveBeenCalled())
})

test('works without the directory, and when the directory appears later', () => {
  const files = new WatchedFiles(['/nonexistent/tt/state.db'], () => {})
  expect(files.hasChanged()).toBe(false)
  files.close()
})
