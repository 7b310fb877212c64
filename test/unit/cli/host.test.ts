import childProcess, { type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { processHost, readSleep } from '../../../src/cli/host.js'

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

const hourMs = 3_600_000
const second = 1_000_000_000n

/** Returns the times of a processor that was awake for this number of hours. */
function processorAwake(hours: number) {
  return { times: { user: hourMs, nice: 0, sys: hourMs / 2, idle: (hours - 1.5) * hourMs, irq: 0 } }
}

/** A machine that started 10 hours ago and slept for 4 of them. */
const clocks = {
  uptime: () => 36_000,
  // The idle time of a processor that was off for a while is lower.
  cpus: () => [processorAwake(5), processorAwake(6)],
}

test.each<[NodeJS.Platform, monotonicSeconds: bigint]>([
  // CLOCK_MONOTONIC stops during sleep.
  ['linux', 21_600n],
  // This clock counts sleep, too.
  ['darwin', 36_000n],
])('the time of sleep is the uptime less the time awake on %s', (platform, seconds) => {
  const reading = readSleep({ ...clocks, platform, monotonic: () => seconds * second })
  expect(reading).toEqual({ uptimeMs: 10 * hourMs, sleptMs: 4 * hourMs })
})

test('there is no negative sleep, where clocks differ by rounding', () => {
  const reading = readSleep({ ...clocks, platform: 'linux', monotonic: () => 36_001n * second })
  expect(reading.sleptMs).toBe(0)
})

test('a machine that tells no times of processors never sleeps', () => {
  const reading = readSleep({ ...clocks, platform: 'win32', monotonic: () => 0n, cpus: () => [] })
  expect(reading).toEqual({ uptimeMs: 10 * hourMs, sleptMs: 0 })
})

test.runIf(process.platform === 'linux')('the host reads the clocks of Linux', () => {
  const uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000
  const reading = processHost().sleepClock?.() ?? { uptimeMs: 0, sleptMs: 0 }
  expect(reading.uptimeMs - uptimeMs).toBeGreaterThan(-20)
  expect(reading.uptimeMs - uptimeMs).toBeLessThan(10_000)
  const awakeMs = Number(process.hrtime.bigint() / 1_000_000n)
  expect(Math.abs(reading.uptimeMs - reading.sleptMs - awakeMs)).toBeLessThan(10_000)
})
