import type { Id } from '../../api-client/types.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import type { EntryFix } from '../../lib/next-step.js'
import type { FindingKind } from '../../records/report-names.js'
import type { Entry } from '../../tracking/entries/entry.js'

/** A problem with tracked time. */
export interface Finding {
  kind: FindingKind
  from: Date
  /** The time of the report for a running entry. */
  to: Date
  /** Whole seconds that are missing, counted twice, or the duration of the entry. */
  seconds: number
  /** The ids of the entries concerned; empty for a gap. */
  entries: Id[]
  /** A description of the problem. */
  what: string
  /** The changes that resolve it without loss of time or notes, in order. */
  fixes: readonly EntryFix[]
  /** Another change, which removes tracked time: `removedSeconds` in total. */
  alternative?: { fix: Extract<EntryFix, { action: 'edit' }>; removedSeconds: number }
}

/** The fields of an entry that the checks need, much smaller than the entry in a long list. */
export interface CheckedEntry {
  id: Id
  fromMs: number
  /** The time of the report for a running entry; never before `fromMs`. */
  toMs: number
  running: boolean
  label: string
  linkId: Id | null
  notes: string
}

/** Returns the checked fields of an entry; a running entry ends `now`. */
export function toCheckedEntry({ id, start, end, notes, link, wire }: Entry, now: Date): CheckedEntry {
  const fromMs = start.getTime()
  return {
    id,
    fromMs,
    toMs: Math.max(fromMs, (end ?? now).getTime()),
    running: end === null,
    label: link?.label ?? 'An entry without a task',
    linkId: link?.id ?? wire.task_link_id,
    notes,
  }
}

/** Returns whether a finding overlaps a range; one without length overlaps it where it starts in the range. */
export function touches({ from, to }: Pick<Finding, 'from' | 'to'>, { start, end }: TimeRange): boolean {
  return (end === undefined || from < end) && (start === undefined || to > start || from >= start)
}
