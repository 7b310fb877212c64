import { endOfDay } from '../../calendar/day.js'
import { parseDate } from '../../calendar/period.js'
import type { Context } from '../../cli/context.js'
import { TtError } from '../../lib/errors.js'
import type { commands } from '../../program/declarations/admin.js'
import type { Input } from '../../program/input.js'
import { recordView } from '../views/record.js'
import type { RecordedChange } from './audited.js'

export const view = recordView<object>(
  { entries: 'Entries', expenses: 'Expenses', first_day: 'First day', last_day: 'Last day' },
  '',
)

export async function run(
  ctx: Context,
  { options }: Input<typeof commands.admin.commands.seed>,
  recorded: RecordedChange,
) {
  const entries = parseCount('--entries', options.entries, maxEntries)
  const random = parseCount('--random', options.random)
  const { weekStart } = await ctx.config.settings()
  const lastDay = parseDate(options.until, ctx.now, weekStart).last
  const { listUsers } = await import('../../service/admin/administration.js')
  const { seed } = await import('../../service/admin/seed.js')
  const storage = await ctx.storage(options.database)
  const email = options.user ?? (await listUsers(storage))[0]?.email
  if (email === undefined) {
    throw new TtError('usage', 'There is no user for the generated entries.', {
      hint: 'Run `tt admin user add EMAIL` to add one.',
    })
  }
  let progressText = 'Generating entries …'
  const progress = ctx.terminal.withProgress(() => progressText)
  const onProgress = (count: number) => {
    progressText = `Generated ${count.toLocaleString('en')} of ${entries.toLocaleString('en')} entries`
    progress.tick()
  }
  try {
    const until = endOfDay(lastDay)
    return await recorded(storage, (storage) =>
      seed(storage, { entries, randomSeed: random, until, email, onProgress }),
    )
  } finally {
    progress.end()
  }
}

/** Upper bound for the number of entries. */
const maxEntries = 3_000_000

function parseCount(option: string, text: string, most = 999_999_999): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text)
  if (/^\d+$/.test(text)) throw new TtError('usage', `${option} takes at most ${most}, not ${text}.`)
  throw new TtError('usage', `${option} takes a whole number, not "${text}".`)
}
