import cldr from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' }
import { minuteMs } from '../../../lib/time-units.js'
import type { OffsetOf } from './zoned-times.js'

const zones = cldr.supplemental.windowsZones.mapTimezones.map(({ mapZone }) => mapZone)
const fold = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .trim()

/** The IANA name for each Windows name; the territory 001 is the world. */
const byWindowsName = new Map(
  zones.filter(({ _territory }) => _territory === '001').map(({ _other, _type }) => [fold(_other), _type]),
)

/** The IANA name for each city in IANA names: "Amsterdam" has the zone of Windows that contains Europe/Amsterdam. */
const byCity = new Map(
  zones.flatMap(({ _other, _type }) =>
    _type.split(' ').map((zone) => [fold(zone.split('/').at(-1) ?? ''), byWindowsName.get(fold(_other))]),
  ),
)

/** The Windows name, without "Standard Time", of places in display names that are not cities of IANA names. */
const places: Readonly<Record<string, string>> = {
  'international date line west': 'Dateline',
  'aleutian islands': 'Aleutian',
  hawaii: 'Hawaiian',
  'midway island': 'UTC-11',
  'marquesas islands': 'Marquesas',
  alaska: 'Alaskan',
  'pacific time': 'Pacific',
  'baja california': 'Pacific Standard Time (Mexico)',
  arizona: 'US Mountain',
  'mountain time': 'Mountain',
  yukon: 'Yukon',
  'central america': 'Central America',
  'central time': 'Central',
  'easter island': 'Easter Island',
  saskatchewan: 'Canada Central',
  chetumal: 'Eastern Standard Time (Mexico)',
  'eastern time': 'Eastern',
  haiti: 'Haiti',
  indiana: 'US Eastern',
  'turks and caicos': 'Turks And Caicos',
  'atlantic time': 'Atlantic',
  newfoundland: 'Newfoundland',
  brasilia: 'E. South America',
  'city of buenos aires': 'Argentina',
  georgetown: 'SA Eastern',
  greenland: 'Greenland',
  'saint pierre and miquelon': 'Saint Pierre',
  salvador: 'Bahia',
  'mid-atlantic': 'UTC-02',
  'cabo verde is.': 'Cape Verde',
  'cape verde is.': 'Cape Verde',
  'cape verde islands': 'Cape Verde',
  'coordinated universal time': 'UTC',
  'west central africa': 'W. Central Africa',
  'e. europe': 'E. Europe',
  'port louis': 'Mauritius',
  ekaterinburg: 'Ekaterinburg',
  chennai: 'India',
  'sri jayawardenepura': 'Sri Lanka',
  kathmandu: 'Nepal',
  astana: 'Central Asia',
  'nur-sultan': 'Central Asia',
  yangon: 'Myanmar',
  'lord howe island': 'Lord Howe',
  'bougainville island': 'Bougainville',
  chokurdakh: 'Russia Time Zone 10',
  'norfolk island': 'Norfolk',
  'solomon is.': 'Central Pacific',
  'petropavlovsk-kamchatsky': 'Russia Time Zone 11',
  'chatham islands': 'Chatham Islands',
  "nuku'alofa": 'Tonga',
  samoa: 'Samoa',
  'kiritimati island': 'Line Islands',
}

/**
 * Returns the IANA name for a name or a display name of Windows, by the table windowsZones of CLDR: "W. Europe Standard
 * Time", or "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", whose cities may be in another language.
 * Returns undefined for another text.
 */
export function windowsZone(name: string, offsetOf: OffsetOf): string | undefined {
  const [, hours, minutes, text = ''] =
    /^(?:\((?:UTC|GMT)([+-]\d\d?)?(?::(\d\d))?\))?\s*(.*)$/is.exec(name) ?? []
  const known = byWindowsName.get(fold(text))
  if (known !== undefined) return known
  const hasPrefix = text !== name
  const [, utcDifference] = /^coordinated universal time([+-]\d\d)$/i.exec(text) ?? []
  if (utcDifference !== undefined) return byWindowsName.get(fold(`UTC${utcDifference}`))
  const found = text.split(/ ?[,;(:]| - /).flatMap((part) => zoneOfPlace(fold(part), hasPrefix) ?? [])
  // Zones of Windows were divided since: of "Almaty, Novosibirsk", one has another offset today.
  const offset = Number(hours ?? 0) * 60 + Math.sign(Number(hours ?? 0)) * Number(minutes ?? 0)
  return found.find((zone) => standardOffset(zone, offsetOf) === offset) ?? found[0]
}

function zoneOfPlace(place: string, mayBeCity: boolean): string | undefined {
  const windowsName = fold(places[place] ?? '')
  return (
    byWindowsName.get(`${windowsName} standard time`) ??
    byWindowsName.get(windowsName) ??
    (mayBeCity ? byCity.get(place) : undefined)
  )
}

/** Returns the smaller offset of a year, in minutes. */
function standardOffset(zone: string, offsetOf: OffsetOf): number {
  const halfYearMs = 182 * 24 * 60 * minuteMs
  const winter = new Date(Date.UTC(2024, 0, 1))
  return Math.min(offsetOf(zone, winter), offsetOf(zone, new Date(winter.getTime() + halfYearMs)))
}
