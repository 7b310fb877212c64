import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import { chooseOne } from '../../cli/option-values.js'
import { endOfDay, startOfDay } from '../../lib/calendar/day.js'
import { formatDateTime, toRfc3339 } from '../../lib/calendar/time.js'
import type { commands } from '../../program/declarations/admin.js'
import type { AuditRecordJson } from '../../records/shapes/admin.js'
import type { AuditRecord } from '../../service/admin/audit-log.js'
import type { RecordChange } from '../../service/admin/record-changes.js'
import type { View } from '../../ui/view.js'
import { daysBetween } from '../shared/options/period-options.js'
import { emptyList } from '../views/record.js'

type AnyRecord = AuditRecord | (RecordChange & Pick<AuditRecord, 'address' | 'details'>)

export const view: View<AnyRecord> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'at', title: 'Time', text: ({ at }) => formatDateTime(at) },
    { key: 'event', title: 'Event' },
    { key: 'actor', title: 'Actor', text: ({ actor }) => actor ?? '', canShrink: true },
    { key: 'address', title: 'Address', text: ({ address }) => address ?? '' },
    { key: 'details', title: 'Details', text: ({ details }) => details ?? '', canShrink: true },
  ],
  json: ({ at, ...record }): AuditRecordJson => ({ ...record, at: toRfc3339(at) }),
  empty: emptyList('matching records in the audit log', 'tt admin audit', 'lists all'),
}

export async function run(
  ctx: Context,
  { options }: Input<typeof commands.admin.commands.audit>,
): Promise<AnyRecord[]> {
  const { first, last } = daysBetween(ctx, options)
  const filter = {
    since: first === undefined ? undefined : startOfDay(first).getTime(),
    until: last === undefined ? undefined : endOfDay(last).getTime(),
    limit: options.limit,
  }
  const user = options.user?.trim().toLowerCase()
  const eventOf = async <Event extends string>(events: readonly Event[]) =>
    options.event === undefined ? undefined : chooseOne(options.event, ctx.nameOption('--event'), events)
  if (options.entries) {
    const { changeEvents, readRecordChanges } = await import('../../service/admin/record-changes.js')
    const event = await eventOf(changeEvents)
    const changes = await readRecordChanges(await ctx.storage(options.database), { ...filter, event, user })
    return changes.map((change) => ({ ...change, address: null, details: detailsOf(change) }))
  }
  const { auditEvents, readAuditLog } = await import('../../service/admin/audit-log.js')
  const event = await eventOf(auditEvents)
  return readAuditLog(await ctx.storage(options.database), { ...filter, event, actor: user })
}

/** Returns "12: notes draft → final": the ID of the record, and the fields that were changed. */
function detailsOf({ record_id, old: before, new: after }: RecordChange): string {
  const names = Object.keys({ ...before, ...after }).filter((name) => before?.[name] !== after?.[name])
  const parts = names.map((name) => {
    const values = [before, after].flatMap((fields) => (fields ? [fields[name] ?? 'none'] : []))
    return `${name} ${values.join(' → ')}`
  })
  return `${record_id}: ${parts.join(', ')}`
}
