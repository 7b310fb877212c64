import type { Id } from '../../api/types.js'
import type { Entry } from '../../entries/entry.js'

/** What can be wrong with tracked time. */
export type FindingKind = (typeof findingKinds)[number]

export const findingKinds = ['gap', 'overlap', 'long', 'no_notes'] as const

/** Something that somebody may want to mend. */
export interface Finding {
  kind: FindingKind
  from: Date
  /** The moment of the report where it goes on. */
  to: Date
  /** Whole seconds that are missing, counted twice, or those of the entry. */
  seconds: number
  /** The ids of the entries that it is about; none for a gap. */
  entries: Id[]
  /** What it is, in words. */
  what: string
  /** A command for a shell that mends it without loss of time or notes; TASK, TIME and TEXT in it are to be replaced. */
  mend: string
  /** Another command, which removes tracked time: a comment at its end says how much. */
  alternative?: string
}

/** What is kept of an entry to look at it: a long list is held without the records behind it. */
export interface Span {
  id: Id
  fromMs: number
  /** The moment of the report while it runs; never before `fromMs`. */
  toMs: number
  running: boolean
  label: string
  linkId: Id | null
  notes: string
}

/** The span of an entry; one that runs is counted to `now`. */
export function spanOf({ id, start, end, notes, link, wire }: Entry, now: Date): Span {
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

/** Half-open, without a bound where there is none. */
export interface FindingPeriod {
  from?: Date
  to?: Date
}

/** Whether some of it lies within the period, or all of it where it has no length. */
export function touches(
  { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>,
  { from, to }: FindingPeriod,
): boolean {
  return (
    (to === undefined || fromMs < to.getTime()) &&
    (from === undefined || toMs > from.getTime() || fromMs >= from.getTime())
  )
}
