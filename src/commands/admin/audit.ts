import { endOfDay, startOfDay } from '../../calendar/day.js'
import { formatDateTime, toRfc3339 } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import { TtError } from '../../lib/errors.js'
import type { AuditRecord } from '../../service/admin/audit-log.js'
import type { AuditRecordJson } from '../../shapes/admin.js'
import type { View } from '../../ui/view.js'
import type { CommandInput } from '../shared/command.js'
import { type DayOptions, periodOf } from '../shared/options/parse-options.js'
import { parseChoice } from '../shared/options/parse-service-options.js'
import type { DatabaseOptions } from './user.js'

interface AuditOptions extends DatabaseOptions, DayOptions {
  event?: string
  user?: string
  limit: string
}

export const view: View<AuditRecord> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'at', title: 'Time', text: ({ at }) => formatDateTime(at) },
    { key: 'event', title: 'Event' },
    { key: 'actor', title: 'Actor', text: ({ actor }) => actor ?? '', canShrink: true },
    { key: 'address', title: 'Address', text: ({ address }) => address ?? '' },
    { key: 'details', title: 'Details', text: ({ details }) => details ?? '', canShrink: true },
  ],
  json: ({ id, at, event, actor, address, details }): AuditRecordJson => ({
    ...{ id, at: toRfc3339(at), event, actor, address, details },
  }),
  empty: 'No matching records in the audit log.',
}

export async function run(ctx: Context, { options }: CommandInput<AuditOptions>): Promise<AuditRecord[]> {
  const { first, last } = periodOf(options, ctx.now, await ctx.config.settings())
  const { auditEvents, readAuditLog } = await import('../../service/admin/audit-log.js')
  const event = options.event === undefined ? undefined : parseChoice('--event', options.event, auditEvents)
  return readAuditLog(await ctx.storage(options.database), {
    since: first === undefined ? undefined : startOfDay(first).getTime(),
    until: last === undefined ? undefined : endOfDay(last).getTime(),
    event,
    actor: options.user?.trim().toLowerCase(),
    limit: parseLimit(options.limit),
  })
}

function parseLimit(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw new TtError('usage', `--limit takes a number from 1 to 999999, not "${text}".`)
}
