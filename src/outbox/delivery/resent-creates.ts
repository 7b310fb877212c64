import type { RecordKind, WireFields } from '../../api/types.js'
import type { ClientState } from '../../cache/client-state.js'
import { dayMs } from '../../lib/time-units.js'

/** A create that was sent more than once: each request may have made a record. */
export interface ResentCreate {
  kind: RecordKind
  /** The id of the record that counts as the created one. */
  id: string
  fields: WireFields
  knownUntil: number | null
  /** When the command ran, and when the create was delivered; epoch milliseconds. */
  typedAt: number
  at: number
  /** When the earlier request was sent, in epoch milliseconds; missing in snapshots of earlier versions. */
  sentAt?: number | null
}

const snapshotName = 'resent'

/** How late a request may arrive, in milliseconds. */
const rememberedMs = dayMs

/** Returns the creates that may have a second record, and when that was last looked up; undefined without any. */
export function resentCreates(
  state: ClientState,
  now: Date,
): { creates: ResentCreate[]; at: Date } | undefined {
  const known = state.snapshot(snapshotName)
  if (!known || !Array.isArray(known.value)) return undefined
  const creates = (known.value as ResentCreate[]).filter(
    ({ at }) => Math.abs(now.getTime() - at) < rememberedMs,
  )
  return creates.length > 0 ? { creates, at: known.at } : undefined
}

/** Adds a create to those whose duplicates are looked up. */
export function saveResentCreate(state: ClientState, create: ResentCreate) {
  const known = resentCreates(state, new Date(create.at))?.creates ?? []
  state.saveSnapshot(snapshotName, [...known, create], new Date(0))
}

/** Records that duplicates were looked up now. Creates that other processes have added are preserved. */
export function recordLookup(state: ClientState, now: Date) {
  state.atomically(() => {
    const known = resentCreates(state, now)
    if (known) state.saveSnapshot(snapshotName, known.creates, now)
  })
}
