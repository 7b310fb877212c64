import { readFileSync } from 'node:fs'
import type { Day } from '../calendar/day.js'
import { TtError } from '../errors.js'
import { type Environment, withHome } from './paths.js'

/** Days without work. */
export interface Holidays {
  has(day: Day): boolean
}

/**
 * The days that the events of an iCalendar file lie on, found year by year as they are asked for. `~` at the beginning
 * of the path is the home of the user.
 *
 * Throws TtError `usage`, which names the file and the setting, for one that is not there or is no iCalendar; `has`
 * does so for an event that cannot be understood.
 */
export async function readHolidays(file: string, env: Environment): Promise<Holidays> {
  const path = withHome(file, env)
  const { parseCalendar } = await import('./icalendar.js')
  const text = attempted(path, 'cannot be read', () => readFileSync(path, 'utf8'))
  const inYear = attempted(path, 'is no iCalendar file', () => parseCalendar(text.replace(/^\ufeff/, '')))
  const years = new Map<number, Set<Day>>()
  return {
    has(day) {
      const year = Number(day.slice(0, 4))
      const days = years.get(year) ?? attempted(path, 'holds what cannot be understood', () => inYear(year))
      years.set(year, days)
      return days.has(day)
    },
  }
}

function attempted<Result>(path: string, flaw: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TtError('usage', `The file of holidays, ${path}, ${flaw}: ${reason.replace(/\.$/, '')}.`, {
      hint: 'Put it right, name another one with `tt config set holidays_file PATH`, or `tt config unset holidays_file`.',
      cause,
    })
  }
}
