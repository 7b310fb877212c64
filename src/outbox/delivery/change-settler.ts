import type { WireFields, WireRecord } from '../../api-client/types.js'
import { expenseDateMemory } from '../../cache/client-state.js'
import { fieldsNotIn } from '../field-equality.js'
import { differenceWarning } from '../messages.js'
import type { Outbox } from '../outbox.js'
import { type QueuedChange, type Rejection, unsent } from '../queued-change.js'
import { SupersededError } from './delivery-errors.js'
import type { DeliveryParts } from './delivery-parts.js'
import { saveResentCreate } from './resent-creates.js'

/** Records the outcome of a change in the outbox, the cache and the known timer, in one transaction. */
export class ChangeSettler {
  readonly #parts: DeliveryParts
  /** The records at the service, by the number of the change that this process has delivered or found in conflict. */
  readonly responses = new Map<number, WireRecord>()
  /** The numbers of the changes whose record another client has edited after the command read it. */
  readonly stale = new Set<number>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Replaces a delivered change by the record of the response; undefined for a deletion. */
  settle(change: QueuedChange, response: WireRecord | undefined): undefined {
    const { cache, clock, outbox, state, supportsKeys } = this.#parts
    const { seq, kind, op, record, fields, knownUntil, sends } = change
    state.atomically(() => {
      throwIfSuperseded(outbox, change)
      // The command knows the response even if writing to the disk fails below.
      if (response) this.responses.set(seq, response)
      outbox.remove(seq)
      if (!response) {
        cache?.remove(kind, record)
        return
      }
      cache?.store(kind, response, clock())
      const id = String(response.id)
      if (op === 'create') outbox.renameRecord(kind, record, id)
      if (op === 'create' && sends > 1 && !supportsKeys())
        saveResentCreate(state, {
          ...{ kind, id, fields, knownUntil },
          ...{ typedAt: change.typedAt.getTime(), sentAt: change.sentAt, at: clock().getTime() },
        })
      const stored = op === 'create' ? response : pick(response, Object.keys(fields))
      // Later changes are compared with the values that the service stored, such as a time without its seconds.
      for (const later of outbox.changesOf(kind, id)) {
        outbox.update({ ...later, base: later.base && { ...later.base, ...stored } })
      }
      if (kind === 'entry') this.#settleTimer(record, response)
    })
    if (response) this.#warnAboutDifferences(change, response)
  }

  /**
   * Settles a create whose record has other notes at the service: the create becomes a conflicting update of the notes.
   * Returns it; undefined if a later change has that conflict.
   */
  adoptEdited(change: QueuedChange, record: WireRecord, rejection: Rejection): QueuedChange | undefined {
    const { cache, clock, outbox, state } = this.#parts
    const { seq, kind, record: name, fields } = change
    const id = String(record.id)
    const adopted = state.atomically(() => {
      throwIfSuperseded(outbox, change)
      cache?.store(kind, record, clock())
      outbox.renameRecord(kind, name, id)
      const laterChanges = outbox.changesOf(kind, id).filter((other) => other.seq !== seq)
      for (const later of laterChanges) {
        this.stale.add(later.seq)
        // A change of the notes did not know those at the service, so it has the conflict.
        const base = later.base && { ...later.base, ...record, notes: later.base.notes }
        outbox.update({ ...later, base })
      }
      if (kind === 'entry') this.#settleTimer(name, record)
      if (laterChanges.some((later) => later.op === 'delete' || 'notes' in later.fields)) {
        outbox.remove(seq)
        return undefined
      }
      const conflict: QueuedChange = {
        ...change,
        ...{ fields: { notes: fields.notes ?? null }, base: record },
        ...unsent,
        ...{ op: 'update', record: id, state: 'conflict', rejection },
      }
      outbox.update(conflict)
      return conflict
    })
    this.responses.set(seq, record)
    return adopted
  }

  /**
   * Stores a change as rejected, and returns it.
   *
   * @param overrides further values to change
   */
  reject(
    change: QueuedChange,
    state: 'refused' | 'conflict',
    rejection: Rejection,
    overrides: Partial<QueuedChange> = {},
  ): QueuedChange {
    const rejected = { ...change, ...unsent, state, rejection, ...overrides }
    this.#parts.state.atomically(() => {
      throwIfSuperseded(this.#parts.outbox, change)
      this.#parts.outbox.update(rejected)
    })
    return rejected
  }

  #warnAboutDifferences(change: QueuedChange, response: WireRecord) {
    const { clock, warn, state } = this.#parts
    const dateField = expenseDateMemory(state, clock).read()?.name
    // An end may have been set elsewhere since; a date under the service's own name is read as `spent_on`.
    const different = fieldsNotIn(response, change.fields).filter(
      (name) => name !== 'time_end' && (name === 'spent_on' || name !== dateField),
    )
    if (different.length === 0) return
    const { message, nextStep } = differenceWarning(change, response, different)
    warn(message, nextStep)
  }

  /** Stores the ID of the known timer at the service. The timer is pending while it has other changes. */
  #settleTimer(name: string, { id }: WireRecord) {
    const { state, outbox } = this.#parts
    const known = state.snapshot('timer')
    if (!known?.value || String(known.value.id) !== name) return
    const { local_id: _, ...timer } = known.value
    const pending = outbox.changesOf('entry', String(id)).length > 0
    state.saveSnapshot('timer', { ...timer, id, pending, ...(pending ? { local_id: null } : {}) }, known.at)
  }
}

/**
 * Throws SupersededError if another process has removed a change or merged another one into it since it was read. This is
 * possible until a request is sent. Call it within the transaction that relies on the change.
 */
export function throwIfSuperseded(outbox: Outbox, { seq, revision }: QueuedChange) {
  const current = outbox.get(seq)
  if (!current?.outcomeUnknown && current?.revision !== revision) throw new SupersededError()
}

function pick(record: WireRecord, names: string[]): WireFields {
  return Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
}
