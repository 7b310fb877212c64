import { pathOf } from '../../../tracking/catalog/links.js'
import { labelOf } from '../../../tracking/entries/entry.js'
import { localDate, localMs, localTime } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

/** The format of timeclock.el, as hledger and Ledger read it: lines `i` and `o` with local times. */
export const timeclock: ExportFormat = {
  running: 'last',
  limitsRunning: 'the timeclock format',
  rejectsOverlaps: 'The timeclock format',
  usesLocalTimes: 'hledger',
  writer: () => ({ head: '', row: sessionText, end: () => '' }),
}

function sessionText(entry: ExportedEntry): string {
  const { start, end } = entry
  const clockIn = [`i ${stamp(start)} ${accountOf(entry)}`, onOneLine(entry.notes)].filter(Boolean).join('  ')
  return end === null ? `${clockIn}\n` : `${clockIn}\no ${stamp(endAfter(start, end))}\n`
}

/**
 * Returns the end of a session. Where the clocks go back in between, the local time of the end may be before that of the
 * start, which is an error for hledger: then the local end is as long after the local start as the session lasts.
 */
function endAfter(start: Date, end: Date): Date {
  if (localMs(end) >= localMs(start)) return end
  const local = new Date(localMs(start) + end.getTime() - start.getTime())
  return new Date(
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  )
}

function stamp(instant: Date): string {
  return `${localDate(instant).replaceAll('-', '/')} ${localTime(instant)}`
}

/** Returns "Acme:Website:Design". A colon in a name is replaced, and two spaces, which end an account, are one. */
function accountOf(entry: ExportedEntry): string {
  const names = entry.link ? pathOf(entry.link) : []
  const path = names.length > 0 ? names : [labelOf(entry)]
  return path.map((name) => onOneLine(name).replace(/\s+/g, ' ').replaceAll(':', '-')).join(':')
}

function onOneLine(text: string): string {
  return text.replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, ' ').trim()
}
