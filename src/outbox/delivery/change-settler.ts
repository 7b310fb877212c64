import type { KnownCapabilities } from '../../api-client/capabilities.js'
import type { WireFields, WireRecord } from '../../api-client/types.js'
import { formatTime } from '../../lib/calendar/time.js'
import { type ClientState, writeIfPossible } from '../cache/client-state.js'
import { fieldsNotIn, isEquivalent, toCreateFields } from '../field-equality.js'
import { differenceWarning } from '../messages.js'
import type { Outbox } from '../outbox.js'
import { applyPending } from '../pending.js'
import { type QueuedChange, type Rejection, unsent } from '../queued-change.js'
import { Attempts } from './attempts.js'
import type { ReadTarget } from './change-sender.js'
import { forgetDeletion, recordDeletion } from './deletions.js'
import type { DeliveryParts } from './delivery.js'
import { repeatedFailure, SupersededError } from './delivery-errors.js'
import { saveResentCreate } from './resent-creates.js'
import type { SendOutcome } from './send-outcome.js'

/** The fields of an entry that the messages of commands show. */
const printedFields = ['time_start', 'time_end', 'task_link_id']

type OutcomeOf<Name extends SendOutcome['name']> = Extract<SendOutcome, { name: Name }>

/** Records the outcome of a change in the outbox, the cache and the known timer, in one transaction. Sends no request. */
export class ChangeSettler {
  readonly #parts: DeliveryParts
  readonly #attempts: Attempts
  /** The number of the attempt of the latest request, by the number of its change. */
  readonly #latestAttempts = new Map<number, number>()
  /** The records at the service, by the number of the change that this process has delivered or found in conflict. */
  readonly responses = new Map<number, WireRecord>()
  /** The numbers of the changes whose record another client has edited after the command read it. */
  readonly stale = new Set<number>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#attempts = new Attempts(parts.state)
  }

  /**
   * Records the outcome of a change. Returns the change if it is stored as rejected or in conflict. Throws SupersededError,
   * and the error of a failed request unless the change has failed too often.
   */
  settle(change: QueuedChange, outcome: SendOutcome): QueuedChange | undefined {
    switch (outcome.name) {
      case 'delivered':
        return this.#settleDelivered(change, outcome)
      case 'edited_elsewhere':
        return this.#adoptEdited(change, outcome)
      case 'conflict':
        return this.#settleConflict(change, outcome)
      case 'refused':
        return this.#settleRefused(change, outcome)
      case 'open_entry_refused':
        return this.#makeLocal(change)
      case 'failed':
        return this.#settleFailed(change, outcome)
      case 'settling':
        return this.#settleLater(change, outcome)
      case 'ambiguous':
        return this.#settleAmbiguous(change, outcome)
    }
  }

  /**
   * Records on disk that a change is being sent, with the fields that the service may apply later. Returns a function that
   * removes the record again. Throws SupersededError.
   */
  recordSending(change: QueuedChange, lateFields: WireFields | undefined): () => void {
    const { cache, clock, uptimeMs, hasDelivery, state, outbox, facts } = this.#parts
    if (!hasDelivery) return () => {}
    const { seq } = change
    const isFirst = change.sends === 0
    // A request that the service certainly did not apply does not count.
    const wasKnown = isFirst && !change.outcomeUnknown ? null : change.knownUntil
    const knownUntil = wasKnown ?? cache?.lastRow() ?? null
    const attempts = change.attempts + 1
    const sentAt = clock().getTime()
    const sent = {
      ...{ sentAt, sentUptimeMs: uptimeMs?.() ?? null, sends: change.sends + 1 },
      ...(isFirst ? { firstSentAt: sentAt, clockOffsetMs: facts.clockOffsetMs() ?? null } : {}),
    }
    this.#latestAttempts.delete(seq)
    state.atomically(() => {
      throwIfSuperseded(outbox, change)
      outbox.update({ ...change, ...sent, attempts, knownUntil, outcomeUnknown: true })
      if (lateFields)
        this.#latestAttempts.set(seq, this.#attempts.add(change, lateFields, { clock, uptimeMs }))
    })
    return () =>
      writeIfPossible(() =>
        state.atomically(() => {
          outbox.update({ ...change, attempts, knownUntil })
          this.#removeLatestAttempt(change)
        }),
      )
  }

  /** Removes the attempt of the latest request of a change, whose outcome is known. */
  #removeLatestAttempt({ seq }: QueuedChange) {
    const attempt = this.#latestAttempts.get(seq)
    if (attempt !== undefined) this.#attempts.remove(attempt)
    this.#latestAttempts.delete(seq)
  }

  /** Stores the current record of a change in the cache, or that it is gone. */
  storeRead({ kind, record }: ReadTarget, current: WireRecord | 'gone'): void {
    const { cache, clock } = this.#parts
    writeIfPossible(() => {
      if (current === 'gone') cache?.remove(kind, record)
      else cache?.store(kind, current, clock())
    })
  }

  /** Replaces a delivered change by the record of the response; undefined for a deletion. */
  #settleDelivered(change: QueuedChange, { record: response, isResent }: OutcomeOf<'delivered'>): undefined {
    const { cache, clock, outbox, state, facts, hasDelivery } = this.#parts
    const { seq, kind, op, record, fields, knownUntil } = change
    state.atomically(() => {
      throwIfSuperseded(outbox, change)
      this.#removeLatestAttempt(change)
      // The command knows the response even if writing to the disk fails below.
      if (response) this.responses.set(seq, response)
      outbox.remove(seq)
      if (!response) {
        cache?.remove(kind, record)
        if (hasDelivery) recordDeletion(state, change, clock())
        return
      }
      if (op === 'update') this.#attempts.confirm(kind, record, response)
      cache?.store(kind, response, clock())
      const id = String(response.id)
      if (op === 'create') {
        outbox.renameRecord(kind, record, id)
        // A service may use the ID of a deleted record again.
        forgetDeletion(state, { kind, record: id })
      }
      if (isResent && !facts.supportsKeys()) {
        const { sentAt, firstSentAt, clockOffsetMs } = change
        saveResentCreate(state, {
          ...{ kind, id, fields, knownUntil, sentAt, firstSentAt, clockOffsetMs },
          ...{ typedAt: change.typedAt.getTime(), at: clock().getTime() },
        })
      }
      const stored = op === 'create' ? response : pick(response, Object.keys(fields))
      // Other changes, such as an earlier deletion that was rejected, are compared with the values that the service stored.
      for (const other of outbox.changesOf(kind, id))
        outbox.update({ ...other, base: other.base && { ...other.base, ...stored } })
      if (kind === 'entry') this.#settleTimer(record, response)
    })
    if (!response) return
    this.#warnAboutEdit(change, response)
    this.#warnAboutDifferences(change, response)
  }

  /**
   * Settles a create whose record has other values at the service: the create becomes a conflicting update of these fields.
   * Returns it; undefined if a later change has that conflict.
   */
  #adoptEdited(
    change: QueuedChange,
    { record, fields, rejection }: OutcomeOf<'edited_elsewhere'>,
  ): QueuedChange | undefined {
    const { cache, clock, outbox, state } = this.#parts
    const { seq, kind, record: name } = change
    const id = String(record.id)
    const names = Object.keys(fields)
    const adopted = state.atomically(() => {
      throwIfSuperseded(outbox, change)
      cache?.store(kind, record, clock())
      outbox.renameRecord(kind, name, id)
      const laterChanges = outbox.changesOf(kind, id).filter((other) => other.seq !== seq)
      for (const later of laterChanges) {
        this.stale.add(later.seq)
        // A change of these fields did not know the values at the service, so it has the conflict.
        const base = later.base && { ...later.base, ...record, ...pick(later.base, names) }
        outbox.update({ ...later, base })
      }
      if (kind === 'entry') this.#settleTimer(name, record)
      const replaces = ({ op, fields }: QueuedChange) =>
        op === 'delete' || names.every((name) => name in fields)
      if (laterChanges.some(replaces)) {
        outbox.remove(seq)
        return undefined
      }
      const conflict: QueuedChange = {
        ...change,
        ...{ fields, base: record },
        ...unsent,
        ...{ op: 'update', record: id, state: 'conflict', rejection },
      }
      return outbox.update(conflict)
    })
    this.responses.set(seq, record)
    return adopted
  }

  #settleConflict(change: QueuedChange, { rejection, stored, fields }: OutcomeOf<'conflict'>): QueuedChange {
    // A retry may overwrite only the values that the user has seen.
    const seen = { ...(stored && { base: stored }), ...(fields && { fields }) }
    const rejected = this.#reject(change, 'conflict', rejection, seen, stored)
    if (stored) this.responses.set(change.seq, stored)
    return rejected
  }

  #settleRefused(change: QueuedChange, { rejection, isEndIrrelevant }: OutcomeOf<'refused'>): QueuedChange {
    if (isEndIrrelevant) this.#parts.capabilities.set('openEntries', undefined)
    return this.#reject(change, 'refused', rejection)
  }

  /** Rejects a change whose requests have failed too often; throws the error of the last one otherwise. */
  #settleFailed({ seq }: QueuedChange, { error }: OutcomeOf<'failed'>): QueuedChange {
    const change = this.#parts.outbox.get(seq)
    const rejection = change && repeatedFailure(change, error)
    if (!rejection) throw error
    // The outcome of its requests stays unknown.
    const { outcomeUnknown, sentAt, sentUptimeMs, sends, firstSentAt, clockOffsetMs, listedAt } = change
    const sent = { outcomeUnknown, sentAt, sentUptimeMs, sends, firstSentAt, clockOffsetMs, listedAt }
    this.#latestAttempts.delete(seq)
    return this.#reject(change, 'refused', rejection, sent)
  }

  /** Makes an entry local until it has an end, because the service rejects open entries. */
  #makeLocal(change: QueuedChange): undefined {
    this.#removeLatestAttempt(change)
    const record = this.#parts.cache?.get(change.kind, change.record)?.record ?? change.base
    if (change.op === 'update' && record) replaceByLocalTimer(change, record, this.#parts)
    else makeLocal(change, this.#parts)
  }

  /** Stores that the user decides which record a create is. The candidates are known then, and not taken for a later one. */
  #settleAmbiguous(change: QueuedChange, { candidates, rejection }: OutcomeOf<'ambiguous'>): QueuedChange {
    const { outcomeUnknown, sentAt, sentUptimeMs, sends, firstSentAt, clockOffsetMs, listedAt } = change
    const sent = { outcomeUnknown, sentAt, sentUptimeMs, sends, firstSentAt, clockOffsetMs, listedAt }
    for (const record of candidates)
      this.storeRead({ kind: change.kind, record: String(record.id), base: null }, record)
    const ids = candidates.map(({ id }) => String(id))
    return this.#reject(change, 'ambiguous', rejection, { ...sent, candidates: ids })
  }

  #settleLater(change: QueuedChange, { startsNow }: OutcomeOf<'settling'>): undefined {
    if (!startsNow) return
    const { clock, uptimeMs, outbox, state } = this.#parts
    state.atomically(() => {
      throwIfSuperseded(outbox, change)
      outbox.update({ ...change, sentAt: clock().getTime(), sentUptimeMs: uptimeMs?.() ?? null })
    })
  }

  /**
   * Stores a change as rejected, and returns it.
   *
   * @param overrides further values to change
   * @param stored the record at the service, if its response is known
   */
  #reject(
    change: QueuedChange,
    state: 'refused' | 'conflict' | 'ambiguous',
    rejection: Rejection,
    overrides: Partial<QueuedChange> = {},
    stored?: WireRecord,
  ): QueuedChange {
    const rejected = { ...change, ...unsent, state, rejection, ...overrides }
    return this.#parts.state.atomically(() => {
      throwIfSuperseded(this.#parts.outbox, change)
      this.#removeLatestAttempt(change)
      if (stored) {
        this.#attempts.confirm(change.kind, change.record, stored)
        this.#parts.cache?.store(change.kind, stored, this.#parts.clock())
      }
      return this.#parts.outbox.update(rejected)
    })
  }

  /** Warns about values that the command has printed and that another client has changed since. */
  #warnAboutEdit({ kind, op, record, base, fields }: QueuedChange, response: WireRecord) {
    const { clock, labelOf, warn } = this.#parts
    if (kind !== 'entry' || op !== 'update' || !base) return
    const isEdited = printedFields.some(
      (name) =>
        !(name in fields) &&
        name in base &&
        name in response &&
        !isEquivalent(name, base[name], response[name], 1000),
    )
    if (!isEdited) return
    const { time_start: start, time_end: end } = response
    const shown = (time: unknown) => formatTime(new Date(String(time)), clock())
    const times = `${shown(start)}–${end === null ? 'running' : shown(end)}`
    warn(`Entry ${record} was changed elsewhere: it is ${labelOf(response)}, ${times}.`)
  }

  #warnAboutDifferences(change: QueuedChange, response: WireRecord) {
    const { warn, capabilities } = this.#parts
    const dateField = capabilities.get('expenseDate')?.value.name
    // An end may have been set elsewhere since; a date under the service's own name is read as `spent_on`.
    const different = fieldsNotIn(response, change.fields).filter(
      (name) => name !== 'time_end' && (name === 'spent_on' || name !== dateField),
    )
    if (different.length === 0) return
    const { message, nextStep } = differenceWarning(change, response, different)
    warn(message, nextStep)
  }

  /** Adds the fields of the service to the known timer. The timer is pending while it has other changes. */
  #settleTimer(name: string, record: WireRecord) {
    const { state, outbox } = this.#parts
    const known = state.snapshot('timer')
    if (!known?.value || String(known.value.id) !== name) return
    const { id } = record
    const { local_id: _, ...timer } = known.value
    const pending = outbox.changesOf('entry', String(id)).length > 0
    const settled = { ...record, ...timer, id, pending, ...(pending ? { local_id: null } : {}) }
    state.saveSnapshot('timer', settled, known.at)
  }
}

/**
 * Throws SupersededError if another process has removed a change or merged another one into it since it was read. Call it
 * within the transaction that relies on the change.
 */
export function throwIfSuperseded(outbox: Outbox, { seq, revision }: QueuedChange) {
  if (outbox.get(seq)?.revision !== revision) throw new SupersededError()
}

function pick(record: WireRecord, names: string[]): WireFields {
  return Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
}

interface LocalTimerParts {
  state: ClientState
  capabilities: KnownCapabilities
  outbox: Outbox
}

/** Makes the create of a running timer local, and records that the service rejects entries without an end. */
function makeLocal(change: QueuedChange, parts: LocalTimerParts): void {
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
function replaceByLocalTimer(change: QueuedChange, stored: WireRecord, parts: LocalTimerParts): void {
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
