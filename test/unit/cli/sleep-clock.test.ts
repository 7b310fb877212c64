import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { processHost } from '../../../src/cli/host.js'
import { readSleep, type SystemClocks } from '../../../src/cli/sleep-clock.js'

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
  // These clocks count sleep, too.
  ['darwin', 36_000n],
  ['win32', 36_000n],
])('the time of sleep is the uptime less the time awake on %s', (platform, seconds) => {
  const reading = readSleep({ ...clocks, platform, monotonic: () => seconds * second })
  expect(reading).toEqual({ uptimeMs: 10 * hourMs, sleptMs: 4 * hourMs })
})

test.each<[string, SystemClocks]>([
  ['clocks that differ by rounding', { ...clocks, platform: 'linux', monotonic: () => 36_001n * second }],
  [
    'processors that count more than the uptime',
    { ...clocks, platform: 'darwin', monotonic: () => 0n, cpus: () => [processorAwake(11)] },
  ],
])('there is no negative sleep: %s', (_, system) => {
  expect(readSleep(system).sleptMs).toBe(0)
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
