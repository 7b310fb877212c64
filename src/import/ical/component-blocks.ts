import { lineBatches, maxLineLength } from '../source/lines.js'
import type { TextSource } from '../source/text-source.js'

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

const ends = { vevent: /^END:VEVENT\s*$/i, vtimezone: /^END:VTIMEZONE\s*$/i }

/** Yields the events and time zones of calendars (RFC 5545 section 3.6) one at a time. */
export async function* componentBlocks(source: TextSource): AsyncGenerator<ComponentBlock> {
  let producer = ''
  let block: { kind: ComponentBlock['kind']; line: number; lines: string[]; length: number } | undefined
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
      block.lines.push(line)
      block.length += line.length
      const isEnd = ends[block.kind].test(line)
      if (!isEnd && block.length < maxLineLength) continue
      yield { ...block, text: unfolded(block.lines), isCut: !isEnd, producer }
      block = undefined
    }
  }
  if (block) yield { ...block, text: unfolded(block.lines), isCut: true, producer }
}

function unfolded(lines: readonly string[]): string {
  return lines.join('\r\n').replaceAll(/\r\n[ \t]/g, '')
}
