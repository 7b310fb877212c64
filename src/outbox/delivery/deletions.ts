import type { RecordKind, WireRecord } from '../../api-client/types.js'
import { dayMs } from '../../lib/time-units.js'
import type { ClientState } from '../cache/client-state.js'
import type { QueuedChange } from '../queued-change.js'

/** A record that a response had after the service had accepted its deletion. */
export interface FoundDeletion {
  kind: RecordKind
  /** The ID of the record as text. */
  record: string
  /** The record before its deletion, if it was known. */
  base: WireRecord | null
  /** Whether the deletion was sent again. */
  isResent: boolean
}

/** How long after its deletion a record that appears again is reported, in milliseconds. */
const rememberedMs = dayMs

/** Remembers for a day that the service has accepted a deletion. Call it within the transaction of the response. */
export function recordDeletion({ database }: ClientState, { kind, record, base }: QueuedChange, at: Date) {
  database.prepare('DELETE FROM deleted WHERE at < ?').run([at.getTime() - rememberedMs])
  database
    .prepare(
      `INSERT INTO deleted (kind, record, base, at) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, record) DO UPDATE SET at = excluded.at, found_at = NULL`,
    )
    .run([kind, record, base === null ? null : JSON.stringify(base), at.getTime()])
}

/** Returns the records that were deleted within the last day and that a later response had. */
export function foundDeletions({ database }: ClientState, now: Date): FoundDeletion[] {
  const rows = database
    .prepare('SELECT kind, record, base, resent FROM deleted WHERE found_at IS NOT NULL AND at >= ?')
    .all([now.getTime() - rememberedMs]) as {
    kind: RecordKind
    record: string
    base: string | null
    resent: number
  }[]
  return rows.map(({ kind, record, base, resent }) => ({
    ...{ kind, record, base: base === null ? null : (JSON.parse(base) as WireRecord) },
    isResent: resent === 1,
  }))
}

/** Records that a deletion is sent again. */
export function markResent({ database }: ClientState, { kind, record }: FoundDeletion) {
  database
    .prepare('UPDATE deleted SET resent = 1, found_at = NULL WHERE kind = ? AND record = ?')
    .run([kind, record])
}

/** Forgets a deletion. */
export function forgetDeletion(
  { database }: ClientState,
  { kind, record }: Pick<FoundDeletion, 'kind' | 'record'>,
) {
  database.prepare('DELETE FROM deleted WHERE kind = ? AND record = ?').run([kind, record])
}
