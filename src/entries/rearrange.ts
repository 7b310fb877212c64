import type { WireFields } from '../api/types.js'
import type { TimeRange } from '../calendar/interval.js'
import type { PlannedChange } from '../outbox/change-writer.js'
import { toCreateFields } from '../outbox/field-equality.js'
import type { Entries, EntryLookup } from './entries.js'
import { type Entry, labelOf } from './entry.js'

/** What is to be mended of one entry. */
export interface EntryEdit {
  entry: Entry
  fields: WireFields
}

/** What one entry is to be that stands for several. */
export interface JoinResult {
  /** null while it runs on. */
  end: Date | null
  notes: string
  taskLinkId: unknown
}

/**
 * Cuts an entry at the moments, in order and within it, and answers the pieces in order. The first keeps the id and the
 * external id. What runs goes on as the last piece.
 *
 * Pieces are made before the entry is shortened, so that its time is at the service throughout; the piece that runs on
 * begins when the entry has ended, so that no two timers run.
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
 * Has the first of the entries take the time of them all, and deletes the others. Answers it.
 *
 * It takes the time before the others are deleted; where it is to run, it does so when they no longer do.
 */
export async function join(
  tracking: Entries,
  [first, ...others]: readonly [Entry, ...Entry[]],
  { end, notes, taskLinkId }: JoinResult,
  now: Date,
): Promise<Entry> {
  const made = await tracking.rearrange(async () => {
    const opens = end === null && first.end !== null
    // Whole seconds are tracked; a timer may have begun within this one.
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
      // Somebody may have thought about it for a while: whether it is still what was shown is seen first.
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

/** Moves the start and the end of an entry to where `boundsOf` says. Answers the entry before and after. */
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

/** Changes several entries at once, those first that end a timer. Answers them as they are now. */
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

/** Returns the fields that each piece shares with the entry. An external id means one entry alone. */
function ofAnyPiece({ wire }: Entry): WireFields {
  const { time_start: _, time_end: __, external_id: ___, ...shared } = toCreateFields('entry', wire)
  return shared
}
