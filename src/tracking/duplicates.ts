import { tellsNothing } from '../api/failures.js'
import type { Kind } from './change.js'
import { listAround, matches, type Places } from './doubt.js'
import { noteLookUp, resentCreates } from './resent.js'
import type { ClientState } from './state.js'

/** A record that an earlier request of the same create has made: it arrived late. */
export interface Duplicate {
  kind: Kind
  id: string
  /** The id of the record that counts as the created one. */
  of: string
}

export interface DuplicateParts extends Places {
  state: ClientState
  clock(): Date
}

/** Looks up second records of creates that were sent more than once. None where the service cannot be reached. */
export async function findDuplicates({ state, clock, api, ...known }: DuplicateParts): Promise<Duplicate[]> {
  const now = clock()
  const { creates } = resentCreates(state, now) ?? { creates: [] }
  if (creates.length === 0) return []
  const found: Duplicate[] = []
  try {
    for (const create of creates) {
      const { kind } = create
      const sent = { ...create, typedAt: new Date(create.typedAt) }
      const of = known.outbox.resolve(kind, create.id)
      const { listed, hasUncertainDate } = await listAround(sent, api)
      if (listed.incomplete === undefined && !listed.some(({ id }) => String(id) === of)) continue
      for (const { id } of matches(sent, listed, { ...known, hasUncertainDate }))
        if (String(id) !== of) found.push({ kind, id: String(id), of })
    }
  } catch (error) {
    if (!tellsNothing(error)) throw error
    return []
  }
  noteLookUp(state, creates, now)
  return found
}
