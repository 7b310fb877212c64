import type { WireFields } from '../api/types.js'
import type { TimeRange } from '../calendar/interval.js'
import type { PlannedChange } from '../outbox/change-writer.js'
import { toCreateFields } from '../outbox/field-equality.js'
import type { Entries, EntryLookup } from './entries.js'
import { type Entry, labelOf } from './entry.js'

/** New fields of one entry. */
export interface EntryEdit {
  entry: Entry
  fields: WireFields
}

/** The fields of a merged entry. */
export interface JoinResult {
  /** null for a running entry. */
  end: Date | null
  notes: string
  taskLinkId: unknown
}

/**
 * Splits an entry at times within it, and returns the pieces in order. The first piece keeps the ID and the external ID;
 * the last piece of a running entry runs.
 *
 * Creates the other pieces before the entry is shortened, so that the service never lacks any time. A running piece is
 * created after the entry has ended, so that two timers never run.
 */
export async function split(
  tracking: Entries,
  reference: string,
  cutsOf: (entry: Entry) => readonly Date[],
): Promise<Entry[]> {
  let before = 0
  const made = await tracking.rearrange(async ({ find }) => {
    const entry = await find(reference)
    const cuts = cutsOf(entry)
    const pieces = cuts.map((cut, at): PlannedChange => {
      const end = cuts[at + 1] ?? entry.end
      const times = { time_start: cut.toISOString(), ...(end ? { time_end: end.toISOString() } : {}) }
      return { kind: 'entry', op: 'create', fields: { ...ofAnyPiece(entry), ...times } }
    })
    const runsOn = entry.end === null ? pieces.splice(-1) : []
    before = pieces.length
    const shortened = updated({ entry, fields: { time_end: cuts[0]?.toISOString() } })
    return {
      title: `Split ${labelOf(entry)}`,
      inOrder: true,
      steps: [...pieces, { ...shortened, isSeparate: true }, ...runsOn],
    }
  })
  const [first] = made.splice(before, 1)
  return first ? [first, ...made] : made
}

/**
 * Extends the first entry to the time of all, deletes the others, and returns the merged entry.
 *
 * Extends it before the others are deleted, so that the service never lacks any time. A running result runs only after
 * the others have ended.
 */
export async function join(
  tracking: Entries,
  [first, ...others]: readonly [Entry, ...Entry[]],
  { end, notes, taskLinkId }: JoinResult,
  now: Date,
): Promise<Entry> {
  const made = await tracking.rearrange(async () => {
    const opens = end === null && first.end !== null
    // Times have whole seconds; a timer may have started within this second.
    const soFar = new Date(Math.max(Math.floor(now.getTime() / 1000) * 1000, first.end?.getTime() ?? 0))
    const fields: WireFields = {
      ...endOf(first, opens ? soFar : end),
      ...(notes === first.notes ? {} : { notes }),
      task_link_id: taskLinkId,
    }
    const opened: PlannedChange = {
      ...updated({ entry: first, fields: { time_end: null } }),
      record: { ...first.wire, ...fields },
      isSeparate: true,
    }
    const deletions = others.map(({ wire }): PlannedChange => ({ kind: 'entry', op: 'delete', record: wire }))
    return {
      // The entries may have changed while the prompt was open.
      fresh: false,
      inOrder: true,
      title: `Joined ${others.length + 1} entries of ${labelOf(first)}`,
      steps: [updated({ entry: first, fields }), ...deletions, ...(opens ? [opened] : [])],
    }
  })
  const joined = end === null && first.end !== null ? made.at(-1) : made[0]
  if (!joined) throw new Error('Joining came to nothing.')
  return joined
}

/** Moves start and end of an entry to the result of `boundsOf`. Returns the entry before and after. */
export async function fill(
  tracking: Entries,
  reference: string,
  boundsOf: (entry: Entry, reading: EntryLookup) => Promise<Required<TimeRange> | { from: Date; to: null }>,
): Promise<{ before: Entry; after: Entry }> {
  let before: Entry | undefined
  const [after] = await tracking.rearrange(async (reading) => {
    before = await reading.find(reference)
    const { from, to } = await boundsOf(before, reading)
    const fields = {
      ...(from < before.start ? { time_start: from.toISOString() } : {}),
      ...(to && before.end && to > before.end ? { time_end: to.toISOString() } : {}),
    }
    return { title: `Filled the time around ${labelOf(before)}`, steps: [updated({ entry: before, fields })] }
  })
  if (!before || !after) throw new Error('Filling came to nothing.')
  return { before, after }
}

/** Edits several entries in one change, those that end a timer first. Returns the edited entries. */
export function editAll(tracking: Entries, mended: readonly EntryEdit[]): Promise<Entry[]> {
  const labels = mended.map(({ entry }) => labelOf(entry)).join('; ')
  return tracking.rearrange(async () => ({
    title: `Changed ${labels}`,
    steps: [...mended].sort((a, b) => opens(a) - opens(b)).map(updated),
    fresh: false,
  }))
}

function endOf({ end: before }: Entry, end: Date | null): WireFields {
  return before?.getTime() === end?.getTime() ? {} : { time_end: end?.toISOString() ?? null }
}

function opens({ fields }: EntryEdit): number {
  return fields.time_end === null ? 1 : 0
}

function updated({ entry, fields }: EntryEdit): PlannedChange {
  return { kind: 'entry', op: 'update', record: entry.wire, fields }
}

/** Returns the fields that each piece shares with the entry. An external ID belongs to one entry only. */
function ofAnyPiece({ wire }: Entry): WireFields {
  const { time_start: _, time_end: __, external_id: ___, ...shared } = toCreateFields('entry', wire)
  return shared
}
