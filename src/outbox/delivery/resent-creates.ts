import type { RecordKind, WireFields } from '../../api-client/types.js'
import { dayMs } from '../../lib/time-units.js'
import type { ClientState } from '../cache/client-state.js'

/** A create that was sent more than once: each request may have created a record. */
export interface ResentCreate {
  kind: RecordKind
  /** The ID of the record that was adopted. */
  id: string
  fields: WireFields
  knownUntil: number | null
  /** The times of the command (`typedAt`) and of the delivery (`at`), in epoch milliseconds. */
  typedAt: number
  at: number
  /** See `QueuedChange`; missing in snapshots of earlier versions. */
  sentAt?: number | null
  firstSentAt?: number | null
  clockOffsetMs?: number | null
}

/** How long after the delivery an earlier request may arrive, in milliseconds. */
const rememberedMs = dayMs

/** Returns the creates that may have duplicates, and the time of the last lookup; undefined if there are none. */
export function resentCreates(
  state: ClientState,
  now: Date,
): { creates: ResentCreate[]; at: Date } | undefined {
  const known = state.snapshot('resent')
  if (!known) return undefined
  const creates = known.value.filter(({ at }) => Math.abs(now.getTime() - at) < rememberedMs)
  return creates.length > 0 ? { creates, at: known.at } : undefined
}

/** Adds a create whose duplicates are looked up. */
export function saveResentCreate(state: ClientState, create: ResentCreate) {
  const known = resentCreates(state, new Date(create.at))?.creates ?? []
  state.saveSnapshot('resent', [...known, create], new Date(0))
}

/** Records the time of a lookup of duplicates. Preserves creates that other processes have added. */
export function recordLookup(state: ClientState, now: Date) {
  state.atomically(() => {
    const known = resentCreates(state, now)
    if (known) state.saveSnapshot('resent', known.creates, now)
  })
}
