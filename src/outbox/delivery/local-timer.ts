import type { KnownCapabilities } from '../../api-client/capabilities.js'
import type { WireRecord } from '../../api-client/types.js'
import type { ClientState } from '../cache/client-state.js'
import { toCreateFields } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import { applyPending } from '../pending/pending-overlay.js'
import type { QueuedChange } from '../queued-change.js'

export interface LocalTimerParts {
  state: ClientState
  capabilities: KnownCapabilities
  outbox: Outbox
}

/** Makes the create of a running timer local, and records that the service rejects entries without an end. */
export function makeLocal(change: QueuedChange, parts: LocalTimerParts): void {
  parts.state.atomically(() => {
    parts.capabilities.set('openEntries', 'refused')
    parts.outbox.makeLocal(change)
  })
}

/**
 * Replaces a change that removes the end of an entry by a deletion of the entry and a local timer, because the service
 * rejects entries without an end.
 *
 * @param stored the entry at the service
 */
export function replaceByLocalTimer(change: QueuedChange, stored: WireRecord, parts: LocalTimerParts): void {
  const { outbox, state } = parts
  const { kind, record, seq, typedAt } = change
  state.atomically(() => {
    parts.capabilities.set('openEntries', 'refused')
    const open = applyPending(stored, outbox.changesOf(kind, record))?.record
    outbox.remove(seq)
    // A later change already deletes the entry.
    if (!open) return
    outbox.append({ kind, op: 'delete', record: stored }, typedAt)
    const fields = toCreateFields(kind, open)
    const local = outbox.append({ kind, op: 'create', fields }, typedAt, { state: 'held' })
    if (local) outbox.setAlias(kind, record, local.record)
  })
}
