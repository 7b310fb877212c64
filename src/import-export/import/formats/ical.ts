import type { ImportFormat } from '../format.js'
import { requireFormat } from '../source/sample.js'
import { lineBatches, type TextSource } from '../source/text-source.js'

/** An event or a time zone as text. */
export interface ComponentBlock {
  kind: 'vevent' | 'vtimezone'
  /** The line where it begins, from 1. */
  line: number
  /** Without the line breaks within long lines (RFC 5545 section 3.1). */
  text: string
  /** Whether the end is missing, so that the text is incomplete. */
  isCut: boolean
  /** The program that wrote the calendar (PRODID). */
  producer: string
}

/** Upper bound for the characters of a component without the unused properties. */
const maxBlockLength = 256 * 1024

/** Properties that can be large and that no entry needs, and the lines that continue one (RFC 5545 section 3.1). */
const unusedProperty = /^(?:ATTACH|X-)/i
const continuation = /^[ \t]/

const ends = { vevent: /^END:VEVENT\s*$/i, vtimezone: /^END:VTIMEZONE\s*$/i }

interface OpenBlock {
  kind: ComponentBlock['kind']
  line: number
  lines: string[]
  length: number
}

/** Yields the events and time zones of calendars (RFC 5545 section 3.6) one at a time. */
async function* componentBlocks(source: TextSource): AsyncGenerator<ComponentBlock> {
  let producer = ''
  let block: OpenBlock | undefined
  let isUnused = false
  for await (const { first, lines } of lineBatches(source)) {
    for (const [index, line] of lines.entries()) {
      if (!block) {
        const [, name = '', value = ''] = /^(BEGIN|PRODID)[^:]*:(.*)$/is.exec(line.trimEnd()) ?? []
        const kind = value.toLowerCase()
        if (kind === 'vcalendar') producer = ''
        if (name.toUpperCase() === 'PRODID') producer = value
        else if (kind === 'vevent' || kind === 'vtimezone')
          block = { kind, line: first + index, lines: [line], length: 0 }
        continue
      }
      isUnused = continuation.test(line) ? isUnused : unusedProperty.test(line)
      if (isUnused) continue
      block.lines.push(line)
      block.length += line.length
      const isEnd = ends[block.kind].test(line)
      if (!isEnd && block.length < maxBlockLength) continue
      yield blockOf(block, !isEnd, producer)
      block = undefined
    }
  }
  if (block) yield blockOf(block, true, producer)
}

function blockOf({ kind, line, lines }: OpenBlock, isCut: boolean, producer: string): ComponentBlock {
  return { kind, line, text: unfolded(lines), isCut, producer }
}

function unfolded(lines: readonly string[]): string {
  return lines.join('\r\n').replaceAll(/\r\n[ \t]/g, '')
}

/**
 * Events of a calendar (RFC 5545). The summary becomes the notes, and categories become tags. Repeated events are expanded
 * from `options.since` to `options.until`, which is now without it; events of whole days and cancelled ones are skipped.
 */
export const ical: ImportFormat = {
  name: 'ical',
  detect: ({ lines }) => /^BEGIN:VCALENDAR\s*$/i.test(lines.find((line) => line.trim() !== '') ?? ''),
  async *read(source, options) {
    await requireFormat(source, ical)
    const [{ CalendarEvents }, { tzOffset }] = await Promise.all([
      import('../ical/calendar-events.js'),
      import('@date-fns/tz'),
    ])
    const events = new CalendarEvents(options, tzOffset)
    for await (const block of componentBlocks(source)) events.prepare(block)
    await events.load()
    for await (const block of componentBlocks(source)) yield* events.read(block)
    yield* events.rest()
  },
}
