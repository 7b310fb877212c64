import {
  InvalidResponseError,
  isServerFault,
  RejectedError,
  UnreachableError,
} from '../../api-client/api-errors.js'
import type { WireRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { dayMs } from '../../lib/time-units.js'
import type { QueuedChange } from '../queued-change.js'
import { type ChangeSenderParts, delivered, isMissingEndpoint } from './change-sender.js'
import { ambiguousCreate, editedElsewhere, externalIdConflict, unfoundCreate } from './conflicts.js'
import { isProxyRejection, isUnauthorized, NotApiError } from './delivery-errors.js'
import { type LookupResult, listAround } from './lost-create.js'
import type { SendOutcome } from './send-outcome.js'
import { type Clocks, remainingSettlingMs, settlingMs } from './settling-time.js'

/** How long a create is looked up in vain before the user decides about it, in milliseconds. */
const maxFailedLookupsMs = dayMs

/**
 * Returns the outcome of a create that the service has rejected, if the rejection is not the last word: an earlier request
 * may have arrived since, or still arrive, and the service may reject a second record like it.
 *
 * @param mayExist whether an earlier request may have created the record
 */
export async function outcomeAfterRejection(
  change: QueuedChange,
  error: RejectedError,
  mayExist: boolean,
  parts: ChangeSenderParts,
): Promise<SendOutcome | undefined> {
  if (!mayExist) return findExisting(change, error, parts)
  // A retry has another key, so that the earlier request could create a second record.
  const settling = settlingOf(change, parts)
  return (await lookUpArrived(change, parts)) ?? settling
}

/** Returns the conflict of a create whose response is a record that had its external ID before; undefined without one. */
export async function outcomeOfExisting(
  change: QueuedChange,
  record: WireRecord,
  { existedBefore }: ChangeSenderParts,
): Promise<SendOutcome | undefined> {
  if (!(await existedBefore(change, record))) return undefined
  const conflict = externalIdConflict(record, change)
  return conflict && { name: 'edited_elsewhere', record, ...conflict }
}

/** Returns the outcome of an entry that the service rejects because another one may have its external ID. */
async function findExisting(
  change: QueuedChange,
  { status }: RejectedError,
  { api }: ChangeSenderParts,
): Promise<SendOutcome | undefined> {
  const { kind, fields } = change
  const { external_id: externalId } = fields
  if (kind !== 'entry' || typeof externalId !== 'string' || (status !== 409 && status !== 422))
    return undefined
  const record = await api.findTimeEntryByExternalId(externalId).catch((error: unknown) => {
    // The service has rejected the entry in any case.
    if (!(error instanceof TtError)) throw error
  })
  if (record?.external_id !== externalId) return undefined
  const conflict = externalIdConflict(record, change)
  return conflict ? { name: 'edited_elsewhere', record, ...conflict } : delivered(record)
}

/** Looks up a create with an unknown outcome. Returns undefined if it may be sent again. */
export async function lookUp(
  change: QueuedChange,
  parts: ChangeSenderParts,
): Promise<SendOutcome | undefined> {
  // Before the look-up: a request may arrive after it, while the machine sleeps.
  const settling = settlingOf(change, parts)
  const result = await tryLookUp(change, parts)
  if ('failure' in result) return afterFailedLookup(change, result.failure, parts)
  const { edited, candidates, incomplete } = result
  // The key finds the record, and never an equal one of another client.
  if (parts.supportsKeys()) return undefined
  if (result.found) return outcomeOfFound(change, result.found)
  if (edited) {
    const fields = { notes: change.fields.notes ?? null }
    return { name: 'edited_elsewhere', record: edited, fields, rejection: editedElsewhere(edited, change) }
  }
  if (incomplete !== undefined)
    return { name: 'settling', until: undefined, startsNow: change.sentAt === null }
  if (settling || !candidates) return settling
  return { name: 'ambiguous', candidates, rejection: ambiguousCreate(change, candidates) }
}

/** Looks up a create that the service has rejected, but may have applied before. */
async function lookUpArrived(
  change: QueuedChange,
  parts: ChangeSenderParts,
): Promise<SendOutcome | undefined> {
  const result = await tryLookUp(change, parts)
  if ('failure' in result) return afterFailedLookup(change, result.failure, parts)
  return result.found && outcomeOfFound(change, result.found)
}

/** Returns the outcome of a create whose record was found: a conflict if only its external ID is that of the create. */
export async function outcomeOfFound(
  change: QueuedChange,
  record: WireRecord,
  isResent = change.sends > 1,
): Promise<SendOutcome> {
  const { external_id: externalId } = change.fields
  const isIdentified = typeof externalId === 'string' && record.external_id === externalId
  const conflict = isIdentified ? externalIdConflict(record, change) : undefined
  return conflict ? { name: 'edited_elsewhere', record, ...conflict } : delivered(record, isResent)
}

/** Looks up a create. Only its own request can reject it: an error of the lookup is returned unless it stops delivery. */
async function tryLookUp(
  change: QueuedChange,
  parts: ChangeSenderParts,
): Promise<LookupResult | { failure: TtError }> {
  try {
    return await parts.lookUp(change)
  } catch (error) {
    const isAboutService = error instanceof UnreachableError && !isServerFault(error)
    if (!(error instanceof TtError) || isAboutService || isUnauthorized(error)) throw error
    if (isProxyRejection(error)) throw error
    if (isMissingEndpoint(error)) throw new NotApiError(change.kind, error, error)
    return { failure: error }
  }
}

/** Returns the outcome of a create that could not be looked up: it delays only itself, until the user decides. */
async function afterFailedLookup(
  change: QueuedChange,
  failure: TtError,
  { clock }: ChangeSenderParts,
): Promise<SendOutcome> {
  const { sentAt } = change
  const isOld = sentAt !== null && clock().getTime() - sentAt > maxFailedLookupsMs
  if (!isOld) return { name: 'settling', until: undefined, startsNow: sentAt === null, failure }
  return { name: 'ambiguous', candidates: [], rejection: unfoundCreate(change, failure.message) }
}

/** Returns undefined if no earlier request of a create may still arrive. */
function settlingOf(change: QueuedChange, clocks: Clocks): SendOutcome | undefined {
  const knownMs = remainingSettlingMs(change, clocks)
  const remainingMs = knownMs ?? settlingMs
  if (remainingMs <= 0) return undefined
  const until = clocks.clock().getTime() + remainingMs
  return { name: 'settling', until, startsNow: knownMs === undefined }
}

/**
 * Lists the expenses of the day before the first request of a new one, so that equal ones are known. Returns the time of a
 * complete list, in epoch milliseconds; null without one.
 */
export async function listDay(
  change: QueuedChange,
  { api, clock, storeRead }: ChangeSenderParts,
): Promise<number | null> {
  try {
    const { listed } = await listAround(change, api)
    for (const record of listed)
      storeRead({ kind: change.kind, record: String(record.id), base: null }, record)
    return listed.incomplete === undefined ? clock().getTime() : null
  } catch (error) {
    if (!(error instanceof InvalidResponseError || error instanceof RejectedError || isServerFault(error)))
      throw error
    return null
  }
}
