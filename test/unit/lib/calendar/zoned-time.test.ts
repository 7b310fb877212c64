import { expect, test } from 'vitest'
import { instantAt } from '../../../../src/lib/calendar/time-zone.js'
import { instantInZone } from '../../../../src/lib/calendar/zoned-time.js'

test.each([
  ['2024-05-08T00:00Z', 'Pacific/Auckland', '2024-05-07T12:00:00.000Z'],
  ['2024-10-27T02:30Z', 'Europe/Berlin', '2024-10-27T00:30:00.000Z'],
  ['2024-03-31T02:30Z', 'Europe/Berlin', '2024-03-31T01:30:00.000Z'],
  ['2024-05-08T09:30Z', 'UTC', '2024-05-08T09:30:00.000Z'],
])('the wall time %s in %s is %s, as at the service', async (wall, zone, instant) => {
  expect(new Date(instantInZone(Date.parse(wall), zone)).toISOString()).toBe(instant)
  expect(await instantAt(Date.parse(wall), zone)).toBe(Date.parse(instant))
})

test('an unknown time zone has no instants', () => {
  expect(instantInZone(0, 'Mars/Olympus')).toBeNaN()
})
