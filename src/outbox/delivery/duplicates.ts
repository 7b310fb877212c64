import { isInconclusive } from '../../api-client/api-errors.js'
import type { RecordKind } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { type ClientState, writeIfPossible } from '../cache/client-state.js'
import { fitsOf, type LookupSources, listAround } from './lost-create.js'
import { type ResentCreate, recordLookup, resentCreates } from './resent-creates.js'

/** A second record of a create, two of whose requests arrived. */
export interface Duplicate {
  kind: RecordKind
  id: string
  /** The ID of the record that was adopted. */
  originalId: string
  /** False if another client may have created it with the same content. */
  isCertain: boolean
}

export interface DuplicateParts extends LookupSources {
  state: ClientState
  clock(): Date
}

/**
 * Looks up duplicates of creates that were sent more than once. Does not throw TtErrors: a failed lookup is repeated a
 * minute later.
 */
export async function findDuplicates({ state, clock, ...sources }: DuplicateParts): Promise<Duplicate[]> {
  const now = clock()
  const { creates } = resentCreates(state, now) ?? { creates: [] }
  if (creates.length === 0) return []
  const found: Duplicate[] = []
  for (const create of creates) {
    try {
      found.push(...(await duplicatesOf(create, sources)))
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      // A service that cannot be reached does not respond to the other requests either.
      if (isInconclusive(error)) return found
    }
  }
  writeIfPossible(() => recordLookup(state, now))
  return found
}

async function duplicatesOf(create: ResentCreate, { api, ...known }: LookupSources): Promise<Duplicate[]> {
  const { kind, sentAt = null, firstSentAt = null, clockOffsetMs = null } = create
  const sent = { ...create, typedAt: new Date(create.typedAt), listedAt: null }
  const originalId = known.outbox.resolve(kind, create.id)
  const { listed, hasUncertainDate } = await listAround(sent, api)
  if (listed.incomplete === undefined && !listed.some(({ id }) => String(id) === originalId)) return []
  const times = { sentAt, firstSentAt, clockOffsetMs, sentUptimeMs: null }
  return fitsOf({ ...sent, ...times }, listed, { ...known, hasUncertainDate })
    .map(({ record, isCertain }) => ({ kind, id: String(record.id), originalId, isCertain }))
    .filter(({ id }) => id !== originalId)
}
