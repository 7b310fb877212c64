export const durationExpectation = 'a duration such as 1:30:00, 1h 30m or 1.5 (hours)'

/** Upper bound for the duration of one entry: 1,000 days. A longer one is an error of the file. */
const maxSeconds = 1000 * 86_400

/** Parses a duration as h:mm, h:mm:ss, or in units (`1h 30m`, `PT1H30M`). Returns seconds; undefined for other text. */
function parseClockDuration(text: string): number | undefined {
  const clock = /^(\d{1,5}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?$/.exec(text)
  if (clock) return checked(secondsOf(clock[1], clock[2], clock[3]))
  const units = /^(?:pt)?(?:(\d{1,5})\s?h)?\s?(?:(\d{1,6})\s?m(?:in)?)?\s?(?:(\d{1,8})\s?s)?$/i.exec(text)
  const isEmpty = !units?.slice(1).some((part) => part !== undefined)
  return isEmpty ? undefined : checked(secondsOf(units?.[1], units?.[2], units?.[3]))
}

function secondsOf(hours = '0', minutes = '0', seconds = '0'): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function checked(seconds: number): number | undefined {
  return seconds <= maxSeconds ? seconds : undefined
}

/** Digits with a decimal point or comma. */
const plainNumber = /^(-?)(\d*)(?:([.,])(\d+))?$/
/** Groups of three digits between the same separators, then decimals. */
const groupedNumber = /^(-?)(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\3\d{3})*)(?:([.,])(\d+))?$/

/**
 * Parses a number with a decimal point or comma, such as "1.5", "1,5" or "1.234,50". Returns it with a point; undefined for
 * other text.
 *
 * @param isMoney whether a single comma before three digits stands between thousands: "1,234" is more likely an amount of
 *   1234 than of 1.234, but hours of an entry are the other way round
 */
export function parseDecimal(text: string, isMoney = false): string | undefined {
  const [, sign = '', whole = '', separator = '', decimals = ''] = plainNumber.exec(text) ?? []
  const isGroup = isMoney && separator === ',' && decimals.length === 3
  if (!isGroup && (whole !== '' || decimals !== ''))
    return `${sign}${whole || '0'}${decimals === '' ? '' : `.${decimals}`}`
  const [, minus = '', groups = '', between = '', point, rest = ''] = groupedNumber.exec(text) ?? []
  if (groups === '' || between === point) return undefined
  return `${minus}${groups.replaceAll(between, '')}${rest === '' ? '' : `.${rest}`}`
}

const unitSeconds = { hours: 3600, minutes: 60, seconds: 1 } as const
export type DurationUnit = keyof typeof unitSeconds

/** Returns the unit that the name of a column contains, such as "Duration (decimal)", "Minutes" or "duration_seconds". */
export function durationUnitOf(name: string): DurationUnit | undefined {
  if (/second|\bsecs?\b|sekunde/i.test(name)) return 'seconds'
  if (/minute|\bmins?\b/i.test(name)) return 'minutes'
  return /hour|\bhrs?\b|\bh\b|decimal|stunden|dezimal/i.test(name) ? 'hours' : undefined
}

/**
 * Parses a duration as h:mm, h:mm:ss, 1h 30m, or as a number in the unit. A number with decimals and without a unit is
 * hours; a whole number without a unit could be anything.
 *
 * Returns whole seconds; undefined for other text and negative durations.
 */
export function parseDuration(text: string, unit: DurationUnit | undefined): number | undefined {
  const clock = parseClockDuration(text)
  if (clock !== undefined) return clock
  const decimal = parseDecimal(text)
  if (decimal === undefined || decimal.startsWith('-')) return undefined
  if (unit === undefined && !decimal.includes('.')) return undefined
  return checked(Math.round(Number(decimal) * unitSeconds[unit ?? 'hours']))
}
