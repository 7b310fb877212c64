import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { commands } from '../../program/declarations/admin.js'
import { fileExtensions as extensions } from '../../ui/formats/formats.js'
import { run as runReport } from '../report/time-report.js'

export { summary, text } from '../report/time-report.js'

export const allowsUnreadableSettings = true
export const fileExtensions = extensions.report

/** Reports on the time of all users. Days are those of the time zone of this process, as in `tt report`. */
export async function run(ctx: Context, { args, options }: Input<typeof commands.admin.commands.report>) {
  const { database, config: _config, user: _user, ...reportOptions } = options
  const { teamContext } = await import('../report/team/team-context.js')
  const storage = await ctx.storage(database)
  await warnOfOtherZone(ctx, storage)
  return runReport(await teamContext(ctx, storage, options), { args, options: reportOptions })
}

async function warnOfOtherZone({ terminal }: Context, storage: Awaited<ReturnType<Context['storage']>>) {
  const { companyOf } = await import('../../service/admin/administration.js')
  const [own, company] = [
    Intl.DateTimeFormat().resolvedOptions().timeZone,
    (await companyOf(storage)).time_zone,
  ]
  if (canonicalZone(company) === canonicalZone(own)) return
  terminal.warn(
    `Days are those of ${own}, not of the company's time zone ${company}. Set TZ=${company} for its days.`,
  )
}

const canonicalZone = (timeZone: string) =>
  new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
