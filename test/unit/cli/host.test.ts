import childProcess, { type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { processHost } from '../../../src/cli/host.js'

/** Replaces the start of processes, and returns what it is called with. */
function replaceSpawn(spawned: () => ChildProcess) {
  const spawn = vi.spyOn(childProcess, 'spawn').mockImplementation(spawned)
  onTestFinished(() => spawn.mockRestore())
  return spawn
}

const child = (pid: number | undefined) =>
  Object.assign(new EventEmitter(), { pid, unref: vi.fn() }) as unknown as ChildProcess & EventEmitter

test('a detached process has no terminal and no directory of the user, and on Windows no window', () => {
  const started = child(42)
  const spawn = replaceSpawn(() => started)
  expect(processHost().startDetached?.(['__deliver', 'acme'], { TT_HOME: '/data' })).toBe(true)
  expect(spawn).toHaveBeenCalledWith(process.execPath, [process.argv[1], '__deliver', 'acme'], {
    ...{ env: { TT_HOME: '/data' }, cwd: '/' },
    ...{ detached: true, stdio: 'ignore', windowsHide: true },
  })
  expect(started.unref).toHaveBeenCalledOnce()
})

test.each<[string, () => ChildProcess]>([
  [
    'an error at once',
    () => {
      throw Object.assign(new Error('spawn EPERM'), { code: 'EPERM' })
    },
  ],
  [
    'an error event, such as ENOENT on Windows',
    () => {
      const failed = child(undefined)
      setImmediate(() => failed.emit('error', new Error('spawn ENOENT')))
      return failed
    },
  ],
])('a detached process that cannot be started returns false: %s', async (_, spawned) => {
  replaceSpawn(spawned)
  expect(processHost().startDetached?.(['__deliver'], {})).toBe(false)
  await new Promise(setImmediate)
})
