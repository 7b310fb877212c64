import type { Api } from '../../api-client/api.js'
import { InvalidResponseError, RejectedError, UnreachableError } from '../../api-client/api-errors.js'
import type { WireFields, WireRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange } from '../queued-change.js'
import {
  isNotFound,
  isUnauthorized,
  NotDeletedError,
  stopsDelivery,
  treatNotFoundAsGone,
} from './delivery-errors.js'
import type { LookupResult } from './lost-create.js'
import { isFailureOfOneChange, isOpenEntryRejection, mayConcernEnd, rejectionOf } from './rejection.js'
import type { SendOutcome } from './send-outcome.js'
import type { Clocks } from './settling-time.js'

/** Upper bound for consecutive requests of an update that the service accepts without storing it. */
const maxUpdates = 3

/** Loaded only for changes of earlier commands: a change that is delivered immediately needs neither. */
const conflicts = () => import('./conflicts.js')

export interface ChangeSenderParts extends Clocks {
  api: Api
  /** Whether the service is in this process: it is always available and applies no change twice. */
  isLocal: boolean
  /** Whether the latest response says that the service supports the Idempotency-Key of creates. */
  supportsKeys(): boolean
  /** Looks up the record of a create whose outcome is unknown. */
  lookUp(change: QueuedChange): Promise<LookupResult>
  /**
   * Records that a change is being sent. Returns a function that removes the record again, for a request that the service
   * certainly did not apply. Throws SupersededError if another process has changed or removed the change.
   */
  recordSending(change: QueuedChange): () => void
  /** Stores the current record of a change, or that it is gone. */
  storeRead(change: QueuedChange, current: WireRecord | 'gone'): void
}

/** Sends changes to the service, each in as many requests as it takes to know its outcome. */
export class ChangeSender {
  readonly #parts: ChangeSenderParts

  constructor(parts: ChangeSenderParts) {
    this.#parts = parts
  }

  /**
   * Sends a change, unless the service has it already or its record has changed. Throws SupersededError, and the errors
   * that stop the delivery of all changes.
   *
   * @param isFresh whether this command has read the record from the service
   */
  async send(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    try {
      if (change.op === 'create') return await this.#create(change)
      return await (change.op === 'update' ? this.#update(change, isFresh) : this.#delete(change, isFresh))
    } catch (error) {
      if (isFailureOfOneChange(error)) return { name: 'failed', error }
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      if (isOpenEntryRejection(change, error)) return { name: 'open_entry_refused' }
      return { name: 'refused', rejection: rejectionOf(error), isEndIrrelevant: false }
    }
  }

  async #create(change: QueuedChange): Promise<SendOutcome> {
    const { api, isLocal, lookUp } = this.#parts
    const { kind, fields, key } = change
    const mayExist = change.outcomeUnknown && !isLocal
    const earlier = mayExist ? await this.#lookUp(change) : undefined
    if (earlier) return earlier
    try {
      const record = await this.#request(change, () =>
        kind === 'entry' ? api.createTimeEntry(fields, { key }) : api.createExpense(fields, { key }),
      )
      return delivered(record, change.sends > 0)
    } catch (error) {
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      // An earlier request may have arrived since, and the service may reject a second record like it.
      const { found } = mayExist ? await lookUp(change) : {}
      if (found) return delivered(found, change.sends > 1)
      if (isOpenEntryRejection(change, error)) throw error
      const isEndIrrelevant = kind === 'entry' && mayConcernEnd(error)
      return { name: 'refused', rejection: rejectionOf(error), isEndIrrelevant }
    }
  }

  /** Looks up a create with an unknown outcome. Returns undefined if it may be sent again. */
  async #lookUp(change: QueuedChange): Promise<SendOutcome | undefined> {
    const { lookUp, supportsKeys } = this.#parts
    const { found, edited, incomplete } = await lookUp(change)
    if (found) return delivered(found, change.sends > 1)
    if (edited) {
      const { editedElsewhere } = await conflicts()
      return { name: 'edited_elsewhere', record: edited, rejection: editedElsewhere(edited, change) }
    }
    return supportsKeys() ? undefined : this.#awaitSettling(change, incomplete)
  }

  /** Returns undefined if no earlier request of a create may still arrive, and the list without it was complete. */
  async #awaitSettling(
    change: QueuedChange,
    incomplete: string | undefined,
  ): Promise<SendOutcome | undefined> {
    const { remainingSettlingMs, settlingMs } = await import('./settling-time.js')
    const knownMs = remainingSettlingMs(change, this.#parts)
    const remainingMs = knownMs ?? settlingMs
    if (incomplete === undefined && remainingMs <= 0) return undefined
    const until = incomplete === undefined ? this.#parts.clock().getTime() + remainingMs : undefined
    return { name: 'settling', until, startsNow: knownMs === undefined }
  }

  async #update(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    const { seq, fields } = change
    const current = isFresh ? undefined : await this.#read(change)
    if (current === 'gone') return conflictWithDeletion(change)
    const { remaining, conflicting } = current
      ? (await conflicts()).compareWithBase(current, change)
      : { remaining: fields, conflicting: {} }
    let stored = current
    if (Object.keys(remaining).length > 0) {
      const updated = await this.#request(change, () => this.#requestUpdate(change, remaining)).catch(
        treatNotFoundAsGone,
      )
      if (updated === 'gone') return conflictWithDeletion(change)
      stored = updated
    }
    if (!stored) throw new Error(`Change ${seq} has no fields.`)
    if (Object.keys(conflicting).length === 0) return delivered(stored)
    const { fieldConflict } = await conflicts()
    const rejection = fieldConflict(stored, { ...change, fields: conflicting })
    return { name: 'conflict', rejection, stored, fields: conflicting }
  }

  async #delete(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    const { api } = this.#parts
    const { kind, record } = change
    const stored = isFresh ? undefined : await this.#read(change)
    if (stored === 'gone') return delivered(undefined)
    const rejection = stored && (await conflicts()).changedElsewhere(stored, change)
    if (rejection) return { name: 'conflict', rejection, stored }
    await this.#request(change, () =>
      kind === 'entry' ? api.deleteTimeEntry(record) : api.deleteExpense(record),
    ).catch((error) => this.#verifyDeleted(change, error))
    return delivered(undefined)
  }

  /** Returns the current record of the service. */
  async #read(change: QueuedChange): Promise<WireRecord | 'gone'> {
    const { api, storeRead } = this.#parts
    const { kind, record, base } = change
    const day = typeof base?.spent_on === 'string' ? base.spent_on : undefined
    const findListedIfInvalid = async (error: unknown) => {
      if (!(error instanceof InvalidResponseError)) throw error
      const { findListed } = await import('./lost-create.js')
      return findListed(api, record, base?.time_start)
    }
    const request: Promise<WireRecord> =
      kind === 'entry' ? api.getTimeEntry(record).catch(findListedIfInvalid) : api.getExpense(record, day)
    const current = await request.catch(treatNotFoundAsGone)
    storeRead(change, current)
    return current
  }

  /** Repeats an update that was not stored: a proxy may have responded. A service that never stores it rejects it. */
  async #requestUpdate(change: QueuedChange, fields: WireFields): Promise<WireRecord> {
    const { api } = this.#parts
    const { kind, record } = change
    for (let attempt = 1; attempt <= maxUpdates; attempt++) {
      const response = await (kind === 'entry'
        ? api.updateTimeEntry(record, fields)
        : api.updateExpense(record, fields))
      if (Object.keys(fields).some((name) => response[name] === fields[name])) return response
      const { isUntouched } = await conflicts()
      if (!isUntouched(response, fields, change)) return response
    }
    const message = `The service accepted the change of ${kind} ${record}, but did not store it.`
    throw new RejectedError('rejected', message, { reason: '', fields: [] })
  }

  /** Throws the error of a deletion unless the record does not exist: after 404, or after reading it again. */
  async #verifyDeleted(change: QueuedChange, failure: unknown): Promise<void> {
    if (isNotFound(failure)) return
    if (!(failure instanceof InvalidResponseError)) throw failure
    const current = await this.#read(change).catch((error: unknown) => {
      // If the record cannot be read either, the next delivery reads it.
      throw error instanceof TtError ? failure : error
    })
    if (current !== 'gone') throw new NotDeletedError(failure)
  }

  /** Sends a request that changes the record, after recording that. */
  async #request<Response>(change: QueuedChange, request: () => Promise<Response>): Promise<Response> {
    const removeRecord = this.#parts.recordSending(change)
    try {
      return await request()
    } catch (error) {
      if ((error instanceof UnreachableError && error.isUnsent) || isUnauthorized(error)) removeRecord()
      throw error
    }
  }
}

function delivered(record: WireRecord | undefined, isResent = false): SendOutcome {
  return { name: 'delivered', record, isResent }
}

async function conflictWithDeletion(change: QueuedChange): Promise<SendOutcome> {
  const { deletedElsewhere } = await conflicts()
  return { name: 'conflict', rejection: deletedElsewhere(change) }
}
