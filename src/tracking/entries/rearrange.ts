import type { Id, WireFields } from '../../api-client/types.js'
import { toCreateFields } from '../../outbox/field-equality.js'
import type { PlannedChange } from '../../outbox/plan.js'
import type { Link, PlannedLink } from '../catalog/catalog.js'
import { type Entry, type EntryBounds, labelOf } from './entry.js'
import { type EntryLookup, type EntryWriter, updateOf } from './entry-writer.js'

/** New fields of one entry. */
export interface EntryEdit {
  entry: Entry
  fields: WireFields
  task?: PlannedLink | undefined
}

/** The fields of a merged entry. */
export interface JoinResult {
  /** null for a running entry. */
  end: Date | null
  notes: string
  task: JoinedLink
}

/** The task link of a merged entry. */
export interface JoinedLink extends Pick<PlannedLink, 'label' | 'confirm'> {
  /** undefined if the link does not exist yet, null for entries without a task. */
  id: Id | null | undefined
  resolve(): Promise<{ id: Id | null }>
}

/**
 * Splits an entry at times within it, and returns the pieces in order. The first piece keeps the ID and the external ID;
 * the last piece of a running entry runs.
 *
 * Creates the other pieces before the entry is shortened, so that the service never lacks any time. A running piece is
 * created after the entry has ended, so that two timers never run.
 */
export async function split(
  writer: EntryWriter,
  reference: string,
  cutsOf: (entry: Entry) => readonly Date[],
): Promise<Entry[]> {
  let stepsBefore = 0
  const pieces = await writer.rearrange(async ({ find }) => {
    const entry = await find(reference)
    const cuts = cutsOf(entry)
    const creates = cuts.map((cut, index): PlannedChange => {
      const end = cuts[index + 1] ?? entry.end
      const times = { time_start: cut.toISOString(), ...(end ? { time_end: end.toISOString() } : {}) }
      return {
        ...{ kind: 'entry', op: 'create', partOf: String(entry.id) },
        fields: { ...sharedFields(entry), ...times },
      }
    })
    const createRunning = entry.end === null ? creates.splice(-1) : []
    stepsBefore = creates.length
    const shorten = updateOf(entry, { time_end: cuts[0]?.toISOString() })
    return {
      title: `Split ${labelOf(entry)}`,
      inOrder: true,
      steps: [...creates, { ...shorten, isSeparate: true }, ...createRunning],
    }
  })
  const [first] = pieces.splice(stepsBefore, 1)
  return first ? [first, ...pieces] : pieces
}

/**
 * Extends the first entry to the time of all, deletes the others, and returns the merged entry.
 *
 * Extends it before the others are deleted, so that the service never lacks any time. A running result runs only after
 * the others have ended.
 */
export async function join(
  writer: EntryWriter,
  [first, ...others]: readonly [Entry, ...Entry[]],
  { end, notes, task }: JoinResult,
  now: Date,
): Promise<Entry> {
  const startsRunning = end === null && first.end !== null
  const results = await writer.rearrange(async () => {
    // Times have whole seconds; a timer may have started within this second.
    const provisionalEnd = new Date(
      Math.max(Math.floor(now.getTime() / 1000) * 1000, first.end?.getTime() ?? 0),
    )
    const fields: WireFields = {
      ...changedEnd(first, startsRunning ? provisionalEnd : end),
      ...(notes === first.notes ? {} : { notes }),
      task_link_id: (await task.resolve()).id,
    }
    const reopen: PlannedChange = {
      ...updateOf(first, { time_end: null }),
      record: { ...first.wire, ...fields },
      isSeparate: true,
    }
    const deletions = others.map(({ wire }): PlannedChange => ({ kind: 'entry', op: 'delete', record: wire }))
    return {
      // The entries may have changed while the prompt was open.
      readAt: undefined,
      inOrder: true,
      title: `Joined ${others.length + 1} entries of ${labelOf(first)}`,
      steps: [updateOf(first, fields), ...deletions, ...(startsRunning ? [reopen] : [])],
    }
  })
  const joined = startsRunning ? results.at(-1) : results[0]
  if (!joined) throw new Error('The merge has no result.')
  return joined
}

/** Moves start and end of an entry to the result of `boundsOf`. Returns the entry before and after. */
export async function fill(
  writer: EntryWriter,
  reference: string,
  boundsOf: (entry: Entry, lookup: EntryLookup) => Promise<EntryBounds>,
): Promise<{ before: Entry; after: Entry }> {
  let before: Entry | undefined
  const [after] = await writer.rearrange(async (lookup) => {
    before = await lookup.find(reference)
    const { start, end } = await boundsOf(before, lookup)
    const fields = {
      ...(start < before.start ? { time_start: start.toISOString() } : {}),
      ...(end && before.end && end > before.end ? { time_end: end.toISOString() } : {}),
    }
    return { title: `Filled the time around ${labelOf(before)}`, steps: [updateOf(before, fields)] }
  })
  if (!before || !after) throw new Error('The extension has no result.')
  return { before, after }
}

/** Edits several entries in one change, those that end a timer first. Returns the edited entries. */
export function editAll(writer: EntryWriter, edits: readonly EntryEdit[]): Promise<Entry[]> {
  const labels = edits.map(({ entry }) => labelOf(entry)).join('; ')
  return writer.rearrange(async () => {
    const links = new Map<PlannedLink, Link>()
    const steps: PlannedChange[] = []
    for (const { entry, fields, task } of [
      ...edits.filter((edit) => !isStarting(edit)),
      ...edits.filter(isStarting),
    ]) {
      const link = task && (links.get(task) ?? (await task.resolve()))
      if (task && link) links.set(task, link)
      steps.push(updateOf(entry, { ...fields, ...(link && { task_link_id: link.id }) }))
    }
    return { title: `Changed ${labels}`, steps, readAt: undefined }
  })
}

/** Returns the new end as a field; no field if the entry ends at that time already. */
function changedEnd({ end: before }: Entry, end: Date | null): WireFields {
  return before?.getTime() === end?.getTime() ? {} : { time_end: end?.toISOString() ?? null }
}

function isStarting({ fields }: EntryEdit): boolean {
  return fields.time_end === null
}

/** Returns the fields that each piece shares with the entry. An external ID belongs to one entry only. */
function sharedFields({ wire }: Entry): WireFields {
  const { time_start: _, time_end: __, external_id: ___, ...shared } = toCreateFields('entry', wire)
  return shared
}
