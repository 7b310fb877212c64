import { parseDuration } from '../../calendar/duration.js'
import { timeOf } from '../../calendar/interval.js'
import type { Context } from '../../cli/context.js'
import { parseColumns } from '../../import/csv/csv-fields.js'
import type { ImportFormat, ReadOptions } from '../../import/format.js'
import { formatNames } from '../../import/format-names.js'
import { formats } from '../../import/formats.js'
import { type Encoding, encodings } from '../../import/source/encodings.js'
import { dateOrders } from '../../import/values/dates.js'
import { parseTimeOfDay } from '../../import/values/times-of-day.js'
import type { OpenEnd } from '../../importer/open-entries.js'
import type { SourceFilter } from '../../importer/read-source.js'
import { TtError } from '../../lib/errors.js'
import { nearestNamesText } from '../../lib/text/nearest-names.js'
import type { commands } from '../../program/declarations/import.js'
import type { Options } from '../../program/input.js'
import { periodOf } from '../shared/options/parse-options.js'

export type ImportOptions = Options<typeof commands.import>

/** How the files are read. */
export interface ReadRequest {
  /** undefined to detect it. */
  format: ImportFormat | undefined
  encoding: Encoding | undefined
  options: ReadOptions
  /** The user whose entries are imported, as typed. */
  person: string | undefined
  filter: SourceFilter
}

/** Parses the options that say how files are read. Throws TtError `usage`. */
export async function readRequest(ctx: Context, options: ImportOptions): Promise<ReadRequest> {
  const settings = await ctx.config.settings()
  const { start, end } = timeOf(periodOf(options, ctx.now, settings))
  const columns = options.columns === undefined ? undefined : parseColumns(options.columns)
  const name = oneOf('--format', 'import format', options.format, formatNames)
  if (columns && name !== undefined && name !== 'generic') {
    throw new TtError('usage', `--columns is for other CSV files, and the columns of ${name} are known.`, {
      hint: 'Omit --columns, or use --format generic.',
    })
  }
  const format = name ?? (columns && 'generic')
  return {
    format: format && formats[format],
    encoding: oneOf('--encoding', 'encoding', options.encoding, encodings),
    options: {
      dateOrder: oneOf('--date-order', 'order of dates', options.dateOrder, dateOrders),
      columns,
      since: start,
      until: end,
      now: ctx.now,
      workStartMinutes: settings.workingHours[0]?.from ?? 9 * 60,
    },
    person: options.person,
    filter: { since: start, until: end, openEnd: parseOpenEnd(options.endOpen) },
  }
}

/** Parses `--end-open`. Throws TtError `usage`. */
function parseOpenEnd(text: string | undefined): OpenEnd | undefined {
  if (text === undefined) return undefined
  if (text.toLowerCase() === 'skip') return 'skip'
  const time = parseTimeOfDay(text)
  if (time) return { untilMinutes: time.hour * 60 + time.minute }
  try {
    return { seconds: parseDuration(text) }
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    throw new TtError('usage', `${JSON.stringify(text)} is not an end of open entries.`, {
      hint: 'Write a time of day such as 17:00, a duration such as 1h30m, or skip after --end-open.',
      cause: error,
    })
  }
}

function oneOf<Value extends string>(
  option: string,
  what: string,
  typed: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (typed === undefined) return undefined
  const found = values.find((value) => value === typed.toLowerCase())
  if (found !== undefined) return found
  throw new TtError('usage', `Unknown ${what} "${typed}".${nearestNamesText(typed, values)}`, {
    hint: `Values of ${option}: ${values.join(', ')}.`,
  })
}
