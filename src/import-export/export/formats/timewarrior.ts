import { formatWallDate } from '../../../lib/calendar/zoned-time.js'
import { arrayWriter, jsonText } from '../../../ui/formats/json.js'
import { namesAndTags } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

/**
 * Timewarrior 1.4: the JSON of `timew export` without its IDs, which are positions, or data files. An interval has tags and
 * an annotation.
 */
export const timewarrior: ExportFormat = {
  running: 'all',
  rejectsOverlaps: 'Timewarrior',
  writer: () => arrayWriter((entry) => jsonText(intervalOf(entry))),
  files: {
    namePattern: /^\d{4}-\d\d\.data$/,
    // Timewarrior divides intervals by the local month of their starts.
    nameOf: ({ start }) => `${formatWallDate(start).slice(0, '2024-05'.length)}.data`,
    textOf: dataLine,
  },
}

interface Interval {
  start: string
  end?: string
  tags?: string[]
  annotation?: string
}

function intervalOf(entry: ExportedEntry): Interval {
  const { start, end, notes } = entry
  const tags = namesAndTags(entry)
  return {
    start: basicTime(start),
    ...(end && { end: basicTime(end) }),
    ...(tags.length > 0 && { tags }),
    ...(notes !== '' && { annotation: notes }),
  }
}

/** Returns a line as `Interval::serialize` of Timewarrior writes it: `inc START - END # "TAG" # "ANNOTATION"`. */
function dataLine(entry: ExportedEntry): string {
  const { start, end, tags = [], annotation } = intervalOf(entry)
  const times = end === undefined ? start : `${start} - ${end}`
  const words = [...tags.map(quoted), ...(annotation === undefined ? [] : ['#', quoted(annotation)])]
  return `${['inc', times, ...(words.length > 0 ? ['#', ...words] : [])].join(' ')}\n`
}

const escapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
}

function quoted(text: string): string {
  return `"${text.replace(/[\n\r\t"\\]/g, (character) => escapes[character] ?? character)}"`
}

/** Returns a time in UTC and whole seconds: 20240501T073000Z. */
function basicTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
