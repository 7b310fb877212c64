import type { Day } from '../../lib/calendar/day.js'
import { errorMessage, TtError } from '../../lib/errors.js'
import { ConfigFileError, readConfigFile } from '../config-file.js'
import { type Environment, expandHome } from '../paths.js'

/** Upper bound for the size of the file, in bytes. */
const holidaysLimitBytes = 256 * 1024

/** Days without work. */
export interface Holidays {
  has(day: Day): boolean
}

/**
 * Reads the days of the events in an iCalendar file, computed year by year on demand. `~` at the start of the path is
 * the home directory.
 *
 * Throws TtError `usage` for a file that is missing, not regular, larger than 256 KiB or not iCalendar; `has` throws it
 * for an invalid event.
 */
export async function readHolidays(file: string, env: Environment): Promise<Holidays> {
  const path = expandHome(file, env)
  const { parseCalendar } = await import('./icalendar.js')
  const text = readText(path)
  const daysInYear = attempt(path, 'is not an iCalendar file', () => parseCalendar(text))
  const years = new Map<number, Set<Day>>()
  return {
    has(day) {
      const year = Number(day.slice(0, 4))
      const days = years.get(year) ?? attempt(path, 'contains an invalid event', () => daysInYear(year))
      years.set(year, days)
      return days.has(day)
    },
  }
}

function readText(path: string): string {
  try {
    const file = readConfigFile(path, { limitBytes: holidaysLimitBytes })
    if (file) return file.text
  } catch (cause) {
    if (!(cause instanceof ConfigFileError)) throw cause
    throw invalidFileError(path, cause.message, cause)
  }
  throw invalidFileError(path, 'does not exist')
}

function attempt<Result>(path: string, flaw: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    const reason = errorMessage(cause)
    throw invalidFileError(path, `${flaw}: ${reason.replace(/\.$/, '')}`, cause)
  }
}

function invalidFileError(path: string, flaw: string, cause?: unknown): TtError {
  return new TtError('usage', `The holidays file ${path} ${flaw}.`, {
    hint: 'Correct the file, or choose another one.',
    nextStep: {
      action: 'correct_setting',
      setting: 'holidays_file',
      example: { setting: 'holidays_file', value: '~/holidays.ics' },
      isStored: true,
    },
    cause,
  })
}
