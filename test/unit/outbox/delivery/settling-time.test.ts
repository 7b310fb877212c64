import { expect, test } from 'vitest'
import { isRecent, remainingSettlingMs } from '../../../../src/outbox/delivery/settling-time.js'

const sentAt = Date.parse('2024-05-08T12:00:00Z')
const sentUptimeMs = 5_000_000

test.each<[string, number, number | undefined, number | undefined]>([
  ['both clocks are at 20 s', 20_000, 20_000, 40_000],
  ['both clocks are at 60 s', 60_000, 60_000, 0],
  ['the wall clock was set forward', 3_600_000, 20_000, 40_000],
  ['the wall clock was set back', -3_600_000, 20_000, 40_000],
  ['only the wall clock is known', 20_000, undefined, 40_000],
  ['only the wall clock is known, and it was set back', -1, undefined, undefined],
  ['both clocks are a few milliseconds back', -16, -16, 60_000],
  ['the machine has restarted 30 s ago', 600_000, 30_000 - sentUptimeMs, 30_000],
  ['the machine has restarted 10 min ago', 900_000, 600_000 - sentUptimeMs, 0],
])('returns the remaining settling time when %s', (_, wallMs, upMs, remainingMs) => {
  const clocks = {
    clock: () => new Date(sentAt + wallMs),
    uptimeMs: upMs === undefined ? undefined : () => sentUptimeMs + upMs,
  }
  expect(remainingSettlingMs({ sentAt, sentUptimeMs }, clocks)).toBe(remainingMs)
})

test('a change without a recorded time has no known remaining time', () => {
  const clocks = { clock: () => new Date(sentAt), uptimeMs: () => sentUptimeMs }
  expect(remainingSettlingMs({ sentAt: null, sentUptimeMs: null }, clocks)).toBeUndefined()
})

test.each<[string, number, number | undefined, boolean]>([
  ['both clocks are at 1 s', 1000, 1000, true],
  ['both clocks are at 3 s', 3000, 3000, false],
  ['the machine has slept, which its uptime does not count', 3_600_000, 1000, false],
  ['the wall clock was set back', -3_600_000, 1000, false],
  ['the wall clock was set to the same time', 0, 3_600_000, false],
  ['only the wall clock is known', 1000, undefined, true],
])('a response is recent or not when %s', (_, wallMs, upMs, expected) => {
  const arrival = { wallMs: sentAt, uptimeMs: sentUptimeMs }
  const clocks = {
    clock: () => new Date(sentAt + wallMs),
    uptimeMs: upMs === undefined ? undefined : () => sentUptimeMs + upMs,
  }
  expect(isRecent(arrival, clocks)).toBe(expected)
})
