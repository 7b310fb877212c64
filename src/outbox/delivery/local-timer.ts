import type { RejectedError } from '../../api/errors.js'
import type { WireRecord } from '../../api/types.js'
import type { ClientState } from '../../cache/client-state.js'
import { toCreateFields } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import { applyPending } from '../pending-overlay.js'
import type { QueuedChange } from '../queued-change.js'

/** Whether the service takes entries without an end; unknown as long as nothing is kept. */
export const openEntriesSnapshot = 'open_entries'

export interface LocalTimerParts {
  state: ClientState
  outbox: Outbox
  clock(): Date
}

/** Whether the service may have refused this change because it leaves an entry without an end. */
export function isOpenEntryRejection({ kind, op, fields }: QueuedChange, error: RejectedError): boolean {
  if (kind !== 'entry' || !mayConcernEnd(error)) return false
  return op === 'update' ? fields.time_end === null : (fields.time_end ?? null) === null
}

/** A refusal that names the end, or nothing. */
export function mayConcernEnd({ fields, status }: RejectedError): boolean {
  if (status !== 400 && status !== 422) return false
  return fields.length === 0 || fields.some((name) => /end/i.test(name))
}

/** Keeps a timer here that the service does not take open, and remembers that. */
export function makeLocal(change: QueuedChange, holder: LocalTimerParts): void {
  holder.state.atomically(() => {
    remember(holder)
    holder.outbox.makeLocal(change)
  })
}

/** The service opens no entry again: `there`, as it has it, is deleted there and held here. */
export function makeLocalAgain(change: QueuedChange, there: WireRecord, holder: LocalTimerParts): void {
  const { outbox, state } = holder
  const { kind, record, seq, typedAt } = change
  state.atomically(() => {
    remember(holder)
    const open = applyPending(there, outbox.changesOf(kind, record))?.record
    outbox.remove(seq)
    // Where it is to be deleted anyway, there is nothing to open.
    if (!open) return
    outbox.append({ kind, op: 'delete', record, fields: {}, base: there }, typedAt)
    const fields = toCreateFields(kind, open)
    const held = outbox.append({ kind, op: 'create', fields, base: null, state: 'held' }, typedAt)
    if (held) outbox.setAlias(kind, record, held.record)
  })
}

function remember({ state, clock }: LocalTimerParts) {
  state.saveSnapshot(openEntriesSnapshot, 'refused', clock())
}
