import type { WireFields, WireRecord } from '../../api-client/types.js'
import { isEquivalent } from '../field-equality.js'
import { undeletedMessage } from '../messages.js'
import { unsent } from '../queued-change.js'
import type { Attempts, UnsettledRecord } from './attempts.js'
import type { ReadTarget } from './change-sender.js'
import { changedElsewhere, fieldConflict, isSameValue } from './conflicts.js'
import { type FoundDeletion, forgetDeletion, markResent } from './deletions.js'
import type { DeliveryParts } from './delivery.js'

/** Reads the current record of the service. */
type Read = (target: ReadTarget) => Promise<WireRecord | 'gone'>

/**
 * Reads a record once more after the settling time of its attempts. If the service has applied one of them after a newer
 * change, the newer values become a change again; if another client has changed the record as well, that change is in
 * conflict. Throws the errors of `read`.
 */
export async function settleAttempts(
  unsettled: UnsettledRecord,
  attempts: Attempts,
  { outbox, state, clock }: DeliveryParts,
  read: Read,
): Promise<void> {
  const { kind, record, confirmed } = unsettled
  const later = () =>
    outbox
      .changesOf(kind, record)
      .filter(({ op, state, outcomeUnknown }) => op !== 'create' && state === 'waiting' && !outcomeUnknown)
  const needsRead = confirmed !== null || later().length > 0
  const base = confirmed ?? later()[0]?.base ?? null
  const current = needsRead ? await read({ kind, record, base }) : 'gone'
  state.atomically(() => {
    attempts.removeAll(kind, record)
    if (current === 'gone') return
    const names = new Set(unsettled.attempts.flatMap(({ fields }) => Object.keys(fields)))
    const isLate = (name: string) =>
      unsettled.attempts.some(
        ({ fields }) => name in fields && isEquivalent(name, fields[name], current[name]),
      )
    const changed = [...names].filter((name) => !confirmed || !isSameValue(current[name], confirmed[name]))
    const late = changed.filter(isLate)
    const pending = later()
    for (const change of pending) {
      // The late values are those of this machine: the pending change replaces them without a conflict.
      const known = Object.fromEntries(late.map((name) => [name, current[name]]))
      outbox.update({ ...change, base: change.base && { ...change.base, ...known } })
    }
    if (!confirmed || late.length === 0 || pending.some(({ op }) => op === 'delete')) return
    const superseded = new Set(pending.flatMap(({ fields }) => Object.keys(fields)))
    const newer: WireFields = Object.fromEntries(
      changed.filter((name) => !superseded.has(name)).map((name) => [name, confirmed[name] ?? null]),
    )
    if (Object.keys(newer).length === 0) return
    const [first] = pending
    const isConflict = changed.length > late.length
    if (first && !isConflict) {
      const fields = { ...newer, ...first.fields }
      outbox.update({ ...first, ...outbox.get(first.seq), fields })
      return
    }
    const update = { kind, op: 'update', record: current, fields: newer, isSeparate: true } as const
    const change = outbox.append(update, clock())
    if (!change || !isConflict) return
    const rejection = fieldConflict(current, { ...change, base: confirmed })
    outbox.update({ ...change, ...unsent, state: 'conflict', rejection })
  })
}

/**
 * Deletes a record once more whose deletion the service has accepted and that it still has; warns if it has it even then. A
 * record that was changed since stays: another client may have restored it. Throws the errors of `read`.
 */
export async function repeatDeletion(
  deletion: FoundDeletion,
  { outbox, state, clock, warn }: DeliveryParts,
  read: Read,
): Promise<void> {
  const { kind, record, base } = deletion
  const current = await read({ kind, record, base })
  state.atomically(() => {
    // Undo may have replaced the record, or a later change refers to it.
    const isReplaced = outbox.resolve(kind, record) !== record || outbox.changesOf(kind, record).length > 0
    if (current === 'gone' || isReplaced || isRestored(current, deletion)) forgetDeletion(state, deletion)
    else if (deletion.isResent) {
      forgetDeletion(state, deletion)
      const { message, nextStep } = undeletedMessage(deletion)
      warn(message, nextStep)
    } else {
      markResent(state, deletion)
      outbox.append({ kind, op: 'delete', record: current }, clock())
    }
  })
}

function isRestored(current: WireRecord, { kind, base }: FoundDeletion): boolean {
  if (base === null) return false
  const isTouched = !isSameValue(current.updated_at, base.updated_at)
  return isTouched || changedElsewhere(current, { kind, base }) !== undefined
}
