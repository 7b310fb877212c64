import { tzOffset } from '@date-fns/tz'
import cldr from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' }
import formerNames from 'node-ical/windowsZones.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { windowsZone } from '../../../../../src/import-export/import/ical/windows-zones.js'

const zoneOf = (name: string) => windowsZone(name, tzOffset)

/** Returns the offsets of a zone in winter and in summer, in minutes. */
const offsets = (zone = '') => [0, 6].map((month) => tzOffset(zone, new Date(Date.UTC(2024, month, 1))))

test('every Windows name has the IANA name of CLDR', () => {
  const zones = cldr.supplemental.windowsZones.mapTimezones
    .map(({ mapZone }) => mapZone)
    .filter(({ _territory }) => _territory === '001')
  expect(zones.length).toBeGreaterThan(130)
  for (const { _other, _type } of zones) {
    expect(zoneOf(_other)).toBe(_type)
    expect(offsets(_type)).not.toContain(Number.NaN)
  }
})

/** Names for which the list of node-ical has another zone than Windows, or one that has changed since. */
const changed = new Set([
  // Samoa moved to the other side of the date line, and Midway did not.
  '(UTC-11:00) Midway Island, Samoa',
  // Minsk and Almaty left these zones of Windows, and their IANA zones contain the earlier offsets.
  '(UTC+02:00) Minsk',
  '(UTC+06:00) Almaty, Novosibirsk',
])

test.each(Object.entries(formerNames).filter(([name]) => !changed.has(name)))(
  'the name %s has the offsets of its zone',
  (name, { iana: [zone = ''] }) => {
    expect(offsets(zoneOf(name))).toEqual(offsets(zone))
  },
)

test.each([
  ['(UTC-11:00) Coordinated Universal Time-11', 'Etc/GMT+11'],
  ['(UTC-08:00) Pacific Time (US & Canada)', 'America/Los_Angeles'],
  ['(GMT-05:00) Eastern Time (US and Canada)', 'America/New_York'],
  ['Eastern Time (US & Canada)', 'America/New_York'],
  ['(UTC-04:00) Georgetown, La Paz, Manaus, San Juan', 'America/La_Paz'],
  ['(UTC-03:00) City of Buenos Aires', 'America/Buenos_Aires'],
  ['(UTC-01:00) Cabo Verde Is.', 'Atlantic/Cape_Verde'],
  ['(UTC+00:00) Dublin, Edinburgh, Lisbon, London', 'Europe/London'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
  ['(UTC+01:00) Bruxelles, Copenhague, Madrid, Paris', 'Europe/Paris'],
  ['(UTC+02:00) Athens, Bucharest', 'Europe/Bucharest'],
  ['(UTC+04:00) Izhevsk, Samara', 'Europe/Samara'],
  ['(UTC+11:00) Solomon Is., New Caledonia', 'Pacific/Guadalcanal'],
  ['(UTC+14:00) Kiritimati Island', 'Pacific/Kiritimati'],
  ['(UTC+01:00) Nowhere', undefined],
  ['Berlin', undefined],
  ['', undefined],
])('the name %j is %s', (name, zone) => {
  expect(zoneOf(name)).toBe(zone)
})
