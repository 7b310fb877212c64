import { InvalidResponseError, RejectedError, UnreachableError } from '../../api-client/api-errors.js'
import type { WireFields, WireRecord } from '../../api-client/types.js'
import { writeIfPossible } from '../../cache/client-state.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange } from '../queued-change.js'
import { throwIfSuperseded } from './change-settler.js'
import { isNotFound, isUnauthorized, NotDeletedError, treatNotFoundAsGone } from './delivery-errors.js'
import type { DeliveryParts } from './delivery-parts.js'

/** Upper bound for consecutive requests of an update that the service accepts without storing it. */
const maxUpdates = 3

/** Sends changes to the service, and reads their records. */
export class ChangeSender {
  readonly #parts: DeliveryParts

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  create(change: QueuedChange): Promise<WireRecord> {
    const { api } = this.#parts
    const { kind, fields, key } = change
    return this.#send(change, () =>
      kind === 'entry' ? api.createTimeEntry(fields, { key }) : api.createExpense(fields, { key }),
    )
  }

  /** Sends these fields of an update; returns `gone` if the service does not have the record. */
  update(change: QueuedChange, fields: WireFields): Promise<WireRecord | 'gone'> {
    return this.#send(change, () => this.#sendUpdate(change, fields)).catch(treatNotFoundAsGone)
  }

  /** Deletes the record, if the service has it. */
  async delete(change: QueuedChange): Promise<void> {
    const { api } = this.#parts
    const { kind, record } = change
    await this.#send(change, () =>
      kind === 'entry' ? api.deleteTimeEntry(record) : api.deleteExpense(record),
    ).catch((error) => this.#verifyDeleted(change, error))
  }

  /** Returns the current record of the service. */
  async read({ kind, record, base }: QueuedChange): Promise<WireRecord | 'gone'> {
    const { api, cache, clock } = this.#parts
    const day = typeof base?.spent_on === 'string' ? base.spent_on : undefined
    const findListedIfInvalid = async (error: unknown) => {
      if (!(error instanceof InvalidResponseError)) throw error
      const { findListed } = await import('./lost-create.js')
      return findListed(api, record, base?.time_start)
    }
    const request: Promise<WireRecord> =
      kind === 'entry' ? api.getTimeEntry(record).catch(findListedIfInvalid) : api.getExpense(record, day)
    const current = await request.catch(treatNotFoundAsGone)
    writeIfPossible(() => {
      if (current === 'gone') cache?.remove(kind, record)
      else cache?.store(kind, current, clock())
    })
    return current
  }

  /** Repeats an update that was not stored: a proxy may have responded. A service that never stores it rejects it. */
  async #sendUpdate(change: QueuedChange, fields: WireFields): Promise<WireRecord> {
    const { api } = this.#parts
    const { kind, record } = change
    for (let attempt = 1; attempt <= maxUpdates; attempt++) {
      const response = await (kind === 'entry'
        ? api.updateTimeEntry(record, fields)
        : api.updateExpense(record, fields))
      if (Object.keys(fields).some((name) => response[name] === fields[name])) return response
      const { isUntouched } = await import('./conflicts.js')
      if (!isUntouched(response, fields, change)) return response
    }
    const message = `The service accepted the change of ${kind} ${record}, but did not store it.`
    throw new RejectedError('rejected', message, { reason: '', fields: [] })
  }

  /** Throws the error of a deletion unless the record does not exist: after 404, or after reading it again. */
  async #verifyDeleted(change: QueuedChange, failure: unknown): Promise<void> {
    if (isNotFound(failure)) return
    if (!(failure instanceof InvalidResponseError)) throw failure
    const current = await this.read(change).catch((error: unknown) => {
      // If the record cannot be read either, the next delivery reads it.
      throw error instanceof TtError ? failure : error
    })
    if (current !== 'gone') throw new NotDeletedError(failure)
  }

  /**
   * Sends a request after recording in the outbox on disk that it is being sent. Removes the record again if the service
   * certainly did not apply the request.
   */
  async #send<Response>(change: QueuedChange, request: () => Promise<Response>): Promise<Response> {
    const { cache, clock, uptimeMs, isLocal, state, outbox } = this.#parts
    // The local workspace applies a create with the same key once; repeated updates and deletes have the same result.
    if (isLocal) return request()
    const knownUntil = change.knownUntil ?? cache?.lastRow() ?? null
    const attempts = change.attempts + 1
    const sends = change.sends + 1
    const sent = { sentAt: clock().getTime(), sentUptimeMs: uptimeMs?.() ?? null, sends }
    state.atomically(() => {
      throwIfSuperseded(outbox, change)
      outbox.update({ ...change, ...sent, attempts, knownUntil, outcomeUnknown: true })
    })
    try {
      return await request()
    } catch (error) {
      const isUnapplied = (error instanceof UnreachableError && error.isUnsent) || isUnauthorized(error)
      if (isUnapplied) writeIfPossible(() => outbox.update({ ...change, attempts, knownUntil }))
      throw error
    }
  }
}
