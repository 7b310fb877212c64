import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/** The reason to skip tests with hledger, or undefined where it is installed. */
export const missingHledgerReason =
  spawnSync('hledger', ['--version']).status === 0 ? undefined : 'hledger is not installed'

/** A clock-in and clock-out, in epoch seconds. */
export interface TimeclockSession {
  /** Segments separated by colons. */
  account: string
  from: number
  to: number
}

/** The time of one account on one day. */
export interface AccountDay {
  account: string
  day: string
  sessions: number
  hours: number
  /** The largest difference from the exact time. */
  toleranceHours: number
}

/**
 * Returns what hledger sums up for a timeclock file of these sessions, by account and day. It splits sessions at midnight
 * and rounds each part to hundredths of an hour. It calculates with wall times, so that sessions around a change of the
 * clocks are too long or too short, and a session whose end has an earlier wall time than its start is an error.
 */
export function sumWithHledger(
  directory: string,
  zone: string,
  sessions: readonly TimeclockSession[],
): AccountDay[] {
  const wallTime = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const lines = sessions.map(
    ({ account, from, to }) =>
      `i ${wallTime.format(from * 1000)} ${account}\no ${wallTime.format(to * 1000)}\n`,
  )
  const file = join(directory, 'log.timeclock')
  writeFileSync(file, lines.join(''))
  const argv = ['--file', file, 'register', '--output-format', 'csv']
  const env = { PATH: process.env.PATH, TZ: zone, LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync('hledger', argv, { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`hledger ${argv.join(' ')} exited ${status}: ${stderr}`)

  // hledger also splits a session that ends exactly at midnight, into an empty part on the next day, which is no part.
  const emptyParts = new Set(
    sessions.flatMap(({ account, to }) => {
      const [date, time] = wallTime.format(to * 1000).split(' ')
      return time === '00:00:00' ? [JSON.stringify([`(${account})`, date])] : []
    }),
  )
  const sums = new Map<string, AccountDay>()
  for (const row of parse(stdout, { columns: true }) as Record<string, string>[]) {
    const { account = '', date = '', amount = '', description = '' } = row
    const key = JSON.stringify([account, date])
    if (description === '00:00-00:00' && amount === '0' && emptyParts.delete(key)) continue
    const sum = sums.get(key) ?? {
      account: account.replace(/^\((.*)\)$/, '$1'),
      day: date,
      sessions: 0,
      hours: 0,
      toleranceHours: 0,
    }
    sum.sessions++
    // A part of less than 18 seconds is 0, without a unit.
    sum.hours += Number(/^([\d.]+)h$/.exec(amount)?.[1] ?? (amount === '0' ? 0 : Number.NaN))
    // A part that midnight ends lasts up to 23:59:59.
    sum.toleranceHours += 0.005 + (description.endsWith('-23:59') ? 1 / 3600 : 0)
    sums.set(key, sum)
  }
  return [...sums.values()]
}
