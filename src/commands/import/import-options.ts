import type { Context } from '../../cli/context.js'
import type { Options } from '../../cli/input.js'
import type { ImportFormat, ReadOptions } from '../../import-export/import/format.js'
import { formats } from '../../import-export/import/formats.js'
import type { Encoding } from '../../import-export/import/source/encodings.js'
import { parseTimeOfDay } from '../../import-export/import/values/entry-times.js'
import type { OpenEnd, SourceFilter } from '../../import-export/importer/read-source.js'
import { parseDuration } from '../../lib/calendar/duration.js'
import { timeOf } from '../../lib/calendar/interval.js'
import { TtError } from '../../lib/errors.js'
import type { commands } from '../../program/declarations/import.js'
import { daysBetween } from '../shared/options/period-options.js'

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
  const { start, end } = timeOf(daysBetween(ctx, options))
  const { format: name, columns, encoding, dateOrder } = options
  if (columns && name !== undefined && name !== 'generic') {
    throw new TtError('usage', `--columns is for other CSV files, and the columns of ${name} are known.`, {
      hint: 'Omit --columns, or use --format generic.',
    })
  }
  const format = name ?? (columns && 'generic')
  return {
    format: format && (await formats[format].load()),
    encoding,
    options: {
      dateOrder,
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
