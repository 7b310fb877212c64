import type { Predicates } from '../api/query.js'
import { dayOf, endOfDay, startOfDay } from '../calendar/day.js'
import { parseDate, periodOf } from '../calendar/period.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import type { Bounds, Entry } from '../tracking/entries.js'
import { entriesMatching } from '../tracking/filter.js'
import { type DayOptions, daysOf, predicatesOf, type WhereOptions } from './options.js'
import { entryView } from './views/entry.js'

export interface LogOptions extends WhereOptions, DayOptions {
  today?: boolean
  yesterday?: boolean
  week?: boolean
  month?: boolean
  project?: string
  client?: string
  task?: string
  notes?: string
  limit?: string
}

export const view = (ctx: Context) => entryView(ctx.now)

export async function run(ctx: Context, options: LogOptions): Promise<Entry[]> {
  const limit = limitOf(options.limit)
  const where = predicatesOf(options)
  const bounds = boundsAsked(options, where, ctx.now)
  const tracking = await ctx.tracking()
  const entries = await tracking.list(bounds, where)
  const matching = entriesMatching(entries, options)
  return limit === undefined ? matching : matching.slice(-limit)
}

/** The last 7 days unless something else was asked for; a --where on time_start stands for itself. */
function boundsAsked(options: LogOptions, where: Predicates, now: Date): Bounds {
  const words = (['today', 'yesterday', 'week', 'month'] as const).filter((word) => options[word])
  const [word, second] = words
  const bounds = options.since !== undefined || options.until !== undefined
  if (second !== undefined || (word !== undefined && bounds)) {
    const given = [...words, options.since !== undefined && 'since', options.until !== undefined && 'until']
    const named = given.filter(Boolean).map((name) => `--${name}`)
    throw new TtError('usage', `${named.join(' and ')} cannot be given together.`, {
      hint: 'Give one of --today, --yesterday, --week, --month, or --since and --until.',
    })
  }
  if (word !== undefined) return periodOf(parseDate(word, now))
  if (bounds) return between(options, now)
  if (Object.keys(where).some((key) => key.startsWith('time_start_'))) return {}
  return periodOf({ first: parseDate('-6d', now).first, last: dayOf(now) })
}

function between(options: DayOptions, now: Date): Bounds {
  const { first, last } = daysOf(options, now)
  return { ...(first ? { from: startOfDay(first) } : {}), ...(last ? { to: endOfDay(last) } : {}) }
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new TtError('usage', `--limit takes a whole number above 0, not "${text}".`)
}
