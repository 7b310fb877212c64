import type { RecordKind, WireFields } from '../../api/types.js'
import type { ClientState } from '../../cache/client-state.js'
import { dayMs } from '../../lib/time-units.js'

/** A create that was delivered after it had been sent more than once: each request may have made a record. */
export interface ResentCreate {
  kind: RecordKind
  /** The id of the record that counts as its own. */
  id: string
  fields: WireFields
  knownUntil: number | null
  /** When it was typed and when it was delivered, in epoch milliseconds. */
  typedAt: number
  at: number
  /** When its earlier request was sent, in epoch milliseconds; missing where an earlier version has written this. */
  sentAt?: number | null
}

const name = 'resent'

/** How long a request may arrive late, in milliseconds. */
const rememberedMs = dayMs

/** The creates that may have made a second record, and when that was last looked up. */
export function resentCreates(
  state: ClientState,
  now: Date,
): { creates: ResentCreate[]; at: Date } | undefined {
  const known = state.snapshot(name)
  if (!known || !Array.isArray(known.value)) return undefined
  const creates = (known.value as ResentCreate[]).filter(
    ({ at }) => Math.abs(now.getTime() - at) < rememberedMs,
  )
  return creates.length > 0 ? { creates, at: known.at } : undefined
}

export function saveResentCreate(state: ClientState, create: ResentCreate) {
  const known = resentCreates(state, new Date(create.at))?.creates ?? []
  state.saveSnapshot(name, [...known, create], new Date(0))
}

/** Records that duplicates were looked up just now. Creates that other processes have remembered since are preserved. */
export function recordLookup(state: ClientState, now: Date) {
  state.atomically(() => {
    const known = resentCreates(state, now)
    if (known) state.saveSnapshot(name, known.creates, now)
  })
}
