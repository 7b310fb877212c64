import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { endOfDay } from '../../lib/calendar/day.js'
import { TtError } from '../../lib/errors.js'
import type { commands } from '../../program/declarations/admin.js'
import { recordView } from '../views/record.js'

export const view = recordView<object>(
  { entries: 'Entries', expenses: 'Expenses', first_day: 'First day', last_day: 'Last day' },
  '',
)

export async function run(
  ctx: Context,
  { options }: Input<typeof commands.admin.commands.seed>,
  recorded: RecordedChange,
) {
  const { entries, random, until: lastDay } = options
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
