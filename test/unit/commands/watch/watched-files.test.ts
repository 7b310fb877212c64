import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WatchedFiles } from '../../../../src/commands/watch/watched-files.js'
import { temporaryDirectory } from '../../../support/process.js'

test('notices that a file is written, created, replaced and removed', () => {
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
})

test('an empty log is no change, because reading creates and removes it', () => {
  const home = temporaryDirectory()
  const log = join(home, 'state.db-wal')
  const files = new WatchedFiles([log], () => {})
  onTestFinished(() => files.close())
  writeFileSync(log, '')
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
