import { formatDateTime, toRfc3339 } from '../../lib/calendar/time.js'
import { isRejected, type QueuedChange } from '../../outbox/queued-change.js'
import type { ListedChange } from '../../outbox/sync.js'
import type { QueuedChangeJson } from '../../records/shapes/entries.js'
import type { View } from '../../ui/view.js'

const operationNames: Record<QueuedChange['op'], string> = { create: 'add', update: 'edit', delete: 'rm' }

/** Pending and rejected changes. */
export const changeView: View<ListedChange> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    {
      key: 'state',
      title: 'State',
      text: ({ state, phase }, style) => (isRejected(state) ? style.red(phase) : phase),
    },
    { key: 'op', title: 'Change', text: ({ op, kind }) => `${operationNames[op]} ${kind}` },
    { key: 'record', title: 'Record' },
    { key: 'when', title: 'When', text: whenOf },
    { key: 'notes', title: 'Notes', canShrink: true },
    { key: 'message', title: 'Reason', canShrink: true },
  ],
  json: (change): QueuedChangeJson => ({
    id: change.seq,
    state: change.state,
    op: change.op,
    kind: change.kind,
    record: change.record,
    when: textOrNull(recordOf(change).time_start ?? recordOf(change).spent_on),
    notes: textOrNull(recordOf(change).notes),
    fields: change.fields,
    attempts: change.attempts,
    in_doubt: change.outcomeUnknown,
    sent_at: change.sentAt === null ? null : toRfc3339(new Date(change.sentAt)),
    message: change.rejection?.message ?? null,
    candidates: change.candidates,
    status: change.rejection?.status ?? null,
    typed_at: toRfc3339(change.typedAt),
  }),
  footer: (changes) => {
    const reasons = changes.flatMap(({ seq, state, rejection }) =>
      isRejected(state) && rejection ? [`${seq}: ${rejection.message}`] : [],
    )
    return reasons.length > 0 ? reasons.join('\n') : undefined
  },
  empty: 'No pending changes.',
}

function recordOf({ base, fields }: QueuedChange): Record<string, unknown> {
  return { ...base, ...fields }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function whenOf(change: QueuedChange): string {
  const { time_start: start, spent_on: day } = recordOf(change)
  if (typeof start === 'string') return formatDateTime(new Date(start))
  return typeof day === 'string' ? day : ''
}
