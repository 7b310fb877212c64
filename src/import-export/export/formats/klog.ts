import { addDays, type Day } from '../../../lib/calendar/day.js'
import { splitAtMidnight } from '../../../lib/calendar/interval.js'
import { dayMs } from '../../../lib/time-units.js'
import type { RowWriter } from '../../../ui/formats/row-writer.js'
import { localDate, localMinute, localMs } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

/** The file format of klog, version 1.4: records of a day with ranges of local times, to the minute. */
export const klog: ExportFormat = {
  running: 'all',
  usesLocalTimes: 'klog',
  writer: createWriter,
}

/** An entry of a record: the range, or the duration where klog cannot express the range. */
interface KlogTimes {
  day: Day
  text: string
  isOpen: boolean
}

function createWriter(): RowWriter<ExportedEntry> {
  let record: { day: Day; hasOpenRange: boolean } | undefined
  const append = ({ day, text, isOpen }: KlogTimes, summary: string) => {
    // A record has at most one open range; a day may have several records.
    const isSame = record?.day === day && !(isOpen && record.hasOpenRange)
    const heading = isSame ? '' : `${record ? '\n' : ''}${day}\n`
    record = { day, hasOpenRange: isOpen || (isSame && record?.hasOpenRange === true) }
    return `${heading}    ${text}${summary}\n`
  }
  return {
    head: '',
    row: (entry) => {
      const summary = summaryOf(entry)
      return timesOf(entry)
        .map((times) => append(times, summary))
        .join('')
    },
    end: () => '',
  }
}

/** Returns one range; for an entry on more than three days, which a range cannot express, a range for each day. */
function timesOf({ start, end }: Pick<ExportedEntry, 'start' | 'end'>): KlogTimes[] {
  const day = localDate(start)
  if (end === null) return [{ day, text: `${localMinute(start)} - ?`, isOpen: true }]
  const days = Math.round((Date.parse(localDate(end)) - Date.parse(day)) / dayMs)
  if (days > 2) return splitAtMidnight({ start, end }).flatMap(timesOf)
  const [from, to] = [localMinute(start), localMinute(end)]
  // A record on the day in the middle of three has a time of the day before and one of the day after.
  if (days === 2) return [{ day: addDays(day, 1), text: `<${from} - ${to}>`, isOpen: false }]
  // Where the clocks go back, the local end may be before the local start.
  if (localMs(end) < localMs(start)) return [{ day, text: durationText(start, end), isOpen: false }]
  return [{ day, text: `${from} - ${to}${days === 1 ? '>' : ''}`, isOpen: false }]
}

function durationText(start: Date, end: Date): string {
  const minutes = Math.floor((end.getTime() - start.getTime()) / 60_000)
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60}m`
}

/**
 * Returns the names as tags with values, such as `#project=Website`, and the notes. Further lines of notes have twice the
 * indentation; empty ones, which would end the record, are left out.
 */
function summaryOf({ link, notes }: ExportedEntry): string {
  const tags = (['client', 'project', 'task'] as const).flatMap((level) => {
    const name = link?.[level]?.name
    return name === undefined ? [] : `#${level}=${tagValue(name)}`
  })
  const [first = '', ...rest] = notes.split(/\r\n|[\r\n\u0085\u2028\u2029]/)
  const firstLine = [...tags, first.trim()].filter(Boolean).join(' ')
  const lines = rest.filter((line) => line.trim() !== '').map((line) => `\n        ${line.trim()}`)
  return `${firstLine === '' ? '' : ` ${firstLine}`}${lines.join('')}`
}

/** Returns the value of a tag, in quotes unless it is one word. */
function tagValue(name: string): string {
  const text = name.replace(/\s+/g, ' ')
  if (/^[\p{L}\p{N}_-]+$/u.test(text)) return text
  if (!text.includes('"')) return `"${text}"`
  return `'${text.replaceAll("'", '’')}'`
}
