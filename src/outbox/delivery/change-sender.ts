import type { Api, Updated } from '../../api-client/api.js'
import { InvalidResponseError, RejectedError, UnreachableError } from '../../api-client/api-errors.js'
import type { RecordKind, WireFields, WireRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { fieldsNotIn } from '../field-equality.js'
import type { QueuedChange } from '../queued-change.js'
import {
  isFailureOfOneChange,
  isNotFound,
  isOpenEntryRejection,
  isProxyRejection,
  isUnauthorized,
  ListedRecordError,
  mayConcernEnd,
  NotApiError,
  NotDeletedError,
  rejectionOf,
  stopsDelivery,
  UnreadableError,
} from './delivery-errors.js'
import type { LookupResult } from './lost-create.js'
import type { SendOutcome } from './send-outcome.js'
import type { Clocks } from './settling-time.js'

/** Upper bound for consecutive requests of an update that the service accepts without storing it. */
const maxUpdates = 3
/** Upper bound for consecutive requests with If-Match: the next one has no condition. */
const maxConditions = 3

/** Loaded only for changes of earlier commands: a change that is delivered immediately needs none of them. */
const conflicts = () => import('./conflicts.js')
const lostCreates = () => import('./lost-create.js')
const unknownCreates = () => import('./unknown-create.js')

/** Facts about the service, from its responses to this process. */
export interface ServiceFacts {
  /** Whether the latest response says that the service supports the Idempotency-Key of creates. */
  supportsKeys(): boolean
  /** Whether the latest response says that the service honours If-Match. */
  supportsConditions(): boolean
  /** Returns how far its clock is ahead of this one, in milliseconds; undefined if that is unknown. */
  clockOffsetMs(): number | undefined
}

export interface ChangeSenderParts extends Clocks, ServiceFacts {
  api: Api
  /** Whether the records of the service show when they were created. */
  hasCreationTimes(kind: RecordKind): boolean
  /** Whether a record that has the external ID of a create was there before its first request. */
  existedBefore(change: QueuedChange, record: WireRecord): Promise<boolean>
  /** Whether a create of this machine has made a record. */
  isCreatedHere(kind: RecordKind, id: string): boolean
  /** Looks up the record of a create whose outcome is unknown. */
  lookUp(change: QueuedChange): Promise<LookupResult>
  /**
   * Records that a change is being sent, with the fields of an update or delete that the service may apply later. Returns a
   * function that removes the record again, for a request that the service certainly did not apply. Throws
   * SupersededError if another process has changed or removed the change.
   */
  recordSending(change: QueuedChange, lateFields: WireFields | undefined): () => void
  /** Stores the current record of a change, or that it is gone. */
  storeRead(change: ReadTarget, current: WireRecord | 'gone'): void
}

/** The record to read, and how it was known before. */
export type ReadTarget = Pick<QueuedChange, 'kind' | 'record' | 'base'>

/** Sends changes to the service, each in as many requests as it takes to know its outcome. */
export class ChangeSender {
  readonly #parts: ChangeSenderParts

  constructor(parts: ChangeSenderParts) {
    this.#parts = parts
  }

  /**
   * Sends a change, unless the service has it already or its record has changed. Throws SupersededError, NotApiError, and
   * the errors that stop the delivery of all changes.
   *
   * @param isFresh whether this command has just read the record from the service
   */
  async send(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    try {
      if (change.op === 'create') return await this.#create(change)
      return await (change.op === 'update' ? this.#update(change, isFresh) : this.#delete(change, isFresh))
    } catch (error) {
      if (error instanceof UnreadableError) {
        // Only the response to the change itself can reject it.
        return { name: 'settling', until: undefined, startsNow: false, failure: error.cause }
      }
      if (isFailureOfOneChange(error)) return { name: 'failed', error }
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      if (isOpenEntryRejection(change, error)) return { name: 'open_entry_refused' }
      return { name: 'refused', rejection: rejectionOf(error), isEndIrrelevant: false }
    }
  }

  /**
   * Returns the current record of the service. It is gone only if a second request shows that: the list of its day, or of
   * all expenses, does not have it.
   */
  async read(target: ReadTarget): Promise<WireRecord | 'gone'> {
    const { api, storeRead } = this.#parts
    const { kind, record, base } = target
    const day = typeof base?.spent_on === 'string' ? base.spent_on : undefined
    const request: Promise<WireRecord | 'gone'> =
      kind === 'entry'
        ? api.getTimeEntry(record).catch(async (error: unknown) => {
            if (isNotFound(error) || isMissingEndpoint(error))
              return (await this.#findListed(target, error)) ?? 'gone'
            if (!(error instanceof InvalidResponseError)) throw error
            return (await lostCreates()).findListed(api, record, base?.time_start)
          })
        : api.getExpense(record, day)
    const current = await request.catch((error: unknown) => {
      // The list of expenses has no resource: only a list without the expense shows that it is gone.
      if (isMissingEndpoint(error)) throw new NotApiError(kind, error, error)
      if (isNotFound(error)) return 'gone' as const
      const isUnreadable = error instanceof RejectedError && !isProxyRejection(error)
      throw isUnreadable || isFailureOfOneChange(error) ? new UnreadableError(error) : error
    })
    storeRead(target, current)
    return current
  }

  async #create(change: QueuedChange): Promise<SendOutcome> {
    const { api, supportsKeys, isCreatedHere } = this.#parts
    const { kind, fields, key, outcomeUnknown: mayExist } = change
    const earlier =
      mayExist && !supportsKeys() ? await (await unknownCreates()).lookUp(change, this.#parts) : undefined
    if (earlier) return earlier
    const listedAt = await this.#listBefore(change)
    try {
      const create = (key: string) =>
        this.#request<WireRecord>({ ...change, listedAt }, undefined, () =>
          kind === 'entry' ? api.createTimeEntry(fields, { key }) : api.createExpense(fields, { key }),
        )
      let record = await create(key)
      // The look-up took its record for that of an equal create, so the record of that one is missing.
      if (mayExist && isCreatedHere(kind, String(record.id))) record = await create(`${key}-again`)
      const { external_id: externalId } = fields
      const isIdentified = typeof externalId === 'string' && record.external_id === externalId
      if (!mayExist && !isIdentified) return delivered(record)
      const { outcomeOfExisting, outcomeOfFound } = await unknownCreates()
      if (mayExist) return await outcomeOfFound(change, record, true)
      return (await outcomeOfExisting({ ...change, listedAt }, record, this.#parts)) ?? delivered(record)
    } catch (error) {
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      if (isMissingEndpoint(error)) await this.#listCollection(change, error)
      const { outcomeAfterRejection } = await unknownCreates()
      const outcome = await outcomeAfterRejection(change, error, mayExist, this.#parts)
      if (outcome) return outcome
      if (isOpenEntryRejection(change, error)) throw error
      const isEndIrrelevant = kind === 'entry' && mayConcernEnd(error)
      return { name: 'refused', rejection: rejectionOf(error), isEndIrrelevant }
    }
  }

  /** Returns when the day of a new expense was listed before its first request; null if that is not needed. */
  async #listBefore(change: QueuedChange): Promise<number | null> {
    const { supportsKeys, hasCreationTimes } = this.#parts
    const { kind, listedAt, sends } = change
    if (kind !== 'expense' || sends > 0 || supportsKeys() || hasCreationTimes(kind)) return listedAt
    return (await unknownCreates()).listDay(change, this.#parts)
  }

  async #update(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    const { storeRead } = this.#parts
    const { seq, fields } = change
    let current: WireRecord | 'gone' | undefined = isFresh ? undefined : await this.read(change)
    let responsesWithoutRecord = 0
    for (let request = 1; ; request++) {
      if (current === 'gone') return conflictWithDeletion(change)
      const { remaining, conflicting } = current
        ? (await conflicts()).compareWithBase(current, change)
        : { remaining: fields, conflicting: {} }
      let stored = current
      if (Object.keys(remaining).length > 0) {
        if (responsesWithoutRecord >= maxUpdates) throw notStored(change)
        const etag = request > maxConditions ? undefined : this.#etagOf(current ?? change.base)
        const updated = await this.#request(change, etag === undefined ? remaining : undefined, () =>
          this.#requestUpdate(change, remaining, etag),
        ).catch((error: unknown) => this.#explainFailure(change, error, etag))
        if (updated === 'gone') return conflictWithDeletion(change)
        if (updated === 'changed') {
          current = await this.read(change)
          continue
        }
        if (updated.isRead) {
          // A response without a record may be about another request.
          responsesWithoutRecord++
          current = updated.record
          storeRead(change, current)
          continue
        }
        stored = updated.record
      }
      if (!stored) throw new Error(`Change ${seq} has no fields.`)
      if (Object.keys(conflicting).length === 0) return delivered(stored)
      const { fieldConflict } = await conflicts()
      const rejection = fieldConflict(stored, { ...change, fields: conflicting })
      return { name: 'conflict', rejection, stored, fields: conflicting }
    }
  }

  async #delete(change: QueuedChange, isFresh: boolean): Promise<SendOutcome> {
    const { api } = this.#parts
    const { kind, record } = change
    let stored = isFresh ? undefined : await this.read(change)
    for (let request = 1; ; request++) {
      if (stored === 'gone') return delivered(undefined)
      const rejection = stored && (await conflicts()).changedElsewhere(stored, change)
      if (stored && rejection) return { name: 'conflict', rejection, stored }
      const etag = request > maxConditions ? undefined : this.#etagOf(stored ?? change.base)
      const options = etag === undefined ? {} : { ifMatch: etag }
      const result = await this.#request(change, etag === undefined ? {} : undefined, () =>
        kind === 'entry' ? api.deleteTimeEntry(record, options) : api.deleteExpense(record, options),
      ).catch((error: unknown) => this.#verifyDeleted(change, error, etag))
      if (result !== 'changed') return delivered(undefined)
      stored = await this.read(change)
    }
  }

  /** Returns the strong entity tag of a record, if the service honours it (RFC 9110 section 13.1.1). */
  #etagOf(record: WireRecord | null): string | undefined {
    const etag = record?.etag
    return this.#parts.supportsConditions() && typeof etag === 'string' && /^"[\x21\x23-\x7e]*"$/.test(etag)
      ? etag
      : undefined
  }

  /** Repeats an update that was not stored: a proxy may have responded. A service that never stores it rejects it. */
  async #requestUpdate(
    change: QueuedChange,
    fields: WireFields,
    etag: string | undefined,
  ): Promise<Updated<WireRecord>> {
    const { api } = this.#parts
    const { kind, record } = change
    const options = etag === undefined ? {} : { ifMatch: etag }
    for (let attempt = 1; attempt <= maxUpdates; attempt++) {
      const updated: Updated<WireRecord> = await (kind === 'entry'
        ? api.updateTimeEntry(record, fields, options)
        : api.updateExpense(record, fields, options))
      const { record: response, isRead } = updated
      if (isRead || Object.keys(fields).some((name) => response[name] === fields[name])) return updated
      const { isUntouched } = await conflicts()
      if (!isUntouched(response, fields, change)) return updated
      // A service that stores whole minutes may have the values already.
      if (attempt === maxUpdates && fieldsNotIn(response, fields).length === 0) return updated
    }
    throw notStored(change)
  }

  /**
   * Returns `gone` for an update of a record that does not exist, and `changed` for one that the service has rejected
   * because the record is not the one that was read. Throws the error otherwise.
   */
  async #explainFailure(
    change: QueuedChange,
    error: unknown,
    etag: string | undefined,
  ): Promise<'gone' | 'changed'> {
    if (etag !== undefined && isPreconditionFailure(error)) return 'changed'
    if (!isMissingEndpoint(error)) {
      if (isNotFound(error)) return 'gone'
      throw error
    }
    if (await this.#findListed(change, error)) throw isNotFound(error) ? new ListedRecordError(error) : error
    return 'gone'
  }

  /** Returns the record from the list of its day, or from all expenses; undefined if it is not there. Throws NotApiError. */
  async #findListed(target: ReadTarget, error: TtError): Promise<WireRecord | undefined> {
    const listed = await this.#listCollection(target, error)
    const found = listed.find(({ id }) => String(id) === target.record)
    if (found || listed.incomplete === undefined) return found
    const message = `Whether the service has ${target.kind} ${target.record} is unknown: ${listed.incomplete}.`
    throw new InvalidResponseError(message, { cause: error })
  }

  /**
   * Lists the entries around the day of a change, or all expenses, after a response that may not be that of the API. Throws
   * NotApiError if the list is not that of the API either.
   *
   * @param cause the error of the change
   */
  async #listCollection({ kind, base, ...change }: ReadTarget | QueuedChange, cause: TtError) {
    const { api } = this.#parts
    const fields = { ...base, ...('fields' in change ? change.fields : {}) }
    const start = base?.time_start ?? fields.time_start
    const { aroundStart } = await lostCreates()
    const day = typeof start === 'string' ? aroundStart(start) : undefined
    try {
      return kind === 'entry' ? await api.listTimeEntries(day) : await api.listExpenses()
    } catch (error) {
      const isConclusive = error instanceof RejectedError || error instanceof InvalidResponseError
      throw isConclusive && !isUnauthorized(error) && !isProxyRejection(error)
        ? new NotApiError(kind, cause, error)
        : error
    }
  }

  /** Throws the error of a deletion unless the record does not exist. Returns `changed` like `#explainFailure`. */
  async #verifyDeleted(
    change: QueuedChange,
    failure: unknown,
    etag: string | undefined,
  ): Promise<'gone' | 'changed'> {
    if (!(failure instanceof InvalidResponseError)) return this.#explainFailure(change, failure, etag)
    const current = await this.read(change).catch((error: unknown) => {
      // If the record cannot be read either, the next delivery reads it.
      throw error instanceof TtError ? failure : error
    })
    if (current !== 'gone') throw new NotDeletedError(failure)
    return 'gone'
  }

  /** Sends a request that changes the record, after recording that. For `lateFields`, see `recordSending`. */
  async #request<Response>(
    change: QueuedChange,
    lateFields: WireFields | undefined,
    request: () => Promise<Response>,
  ): Promise<Response> {
    const removeRecord = this.#parts.recordSending(change, lateFields)
    try {
      return await request()
    } catch (error) {
      const isUnsent = error instanceof UnreachableError && error.isUnsent
      // After the rejection of a repeated create, the outcome of its earlier request is still unknown.
      const isRepeated = error instanceof RejectedError && change.op === 'create' && change.outcomeUnknown
      if (isUnsent || isUnauthorized(error) || isRepeated) removeRecord()
      throw error
    }
  }
}

export function delivered(record: WireRecord | undefined, isResent = false): SendOutcome {
  return { name: 'delivered', record, isResent }
}

function notStored({ kind, record }: QueuedChange): RejectedError {
  const message = `The service accepted the change of ${kind} ${record}, but did not store it.`
  return new RejectedError('rejected', message, { reason: '', fields: [] })
}

async function conflictWithDeletion(change: QueuedChange): Promise<SendOutcome> {
  const { deletedElsewhere } = await conflicts()
  return { name: 'conflict', rejection: deletedElsewhere(change) }
}

/** Whether there may be no such endpoint: a gateway may have responded instead of the API. */
export function isMissingEndpoint(error: unknown): error is RejectedError {
  return error instanceof RejectedError && (error.status === 404 || error.status === 405)
}

/** Whether the record is not the one of If-Match (412; RFC 9110 section 13.1.1). */
function isPreconditionFailure(error: unknown): boolean {
  return error instanceof RejectedError && error.status === 412
}
