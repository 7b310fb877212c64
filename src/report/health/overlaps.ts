import type { EntryFix } from '../../lib/next-step.js'
import type { CheckedEntry, Finding } from './findings.js'

interface Piece {
  fromMs: number
  toMs: number
}

/** A span with the spans that begin in it. */
interface OpenSpan {
  span: CheckedEntry
  /** The spans that begin in this one and in no later one. */
  inner: OpenSpan[]
  /** The parts that no later span covers. */
  uncovered: Piece[]
  /** The latest end of the later spans so far. */
  coveredUntilMs: number
}

/** An entry with more uncovered parts was probably forgotten: ending it at the first other entry is an alternative. */
const maxPieces = 4

/**
 * Yields a finding for each span in which others begin. The spans are sorted by their starts; of equal starts, the
 * longer comes first.
 *
 * Each span belongs to the latest span that it begins in, so that many at once make one finding each, not one for each
 * pair. The fixes leave to each span the parts that no later span covers. All fixes together leave every moment to one
 * entry; each of them, in any order, loses no tracked time and no notes.
 */
export function* overlaps(spans: readonly CheckedEntry[]): Generator<Finding> {
  const swept = sweep(spans)
  const moves = notesToMove(swept)
  for (const open of swept) if (open.inner.length > 0) yield* finding(open, moves)
}

/** Returns the spans that have a length, in order, each with the spans that begin in it. */
function sweep(spans: readonly CheckedEntry[]): OpenSpan[] {
  const swept: OpenSpan[] = []
  const stack: OpenSpan[] = []
  for (const span of spans) {
    if (span.toMs <= span.fromMs) continue
    close(stack, span.fromMs)
    const open: OpenSpan = { span, inner: [], uncovered: [], coveredUntilMs: span.fromMs }
    const around = stack.at(-1)
    if (around) {
      around.inner.push(open)
      addUncovered(around, span.fromMs)
    }
    stack.push(open)
    swept.push(open)
  }
  close(stack, Infinity)
  return swept
}

/** Removes the spans that have ended from the top of the stack. */
function close(stack: OpenSpan[], atMs: number) {
  for (let last = stack.at(-1); last && last.span.toMs <= atMs; last = stack.at(-1)) {
    stack.pop()
    addUncovered(last, last.span.toMs)
    const around = stack.at(-1)
    if (around) around.coveredUntilMs = Math.max(around.coveredUntilMs, last.coveredUntilMs, last.span.toMs)
  }
}

function addUncovered({ uncovered, coveredUntilMs }: OpenSpan, untilMs: number) {
  // Entries have whole seconds.
  if (untilMs - coveredUntilMs >= 1000) uncovered.push({ fromMs: coveredUntilMs, toMs: untilMs })
}

/** The span that keeps the notes of a deleted one. `notes` is its new text; undefined where that does not change. */
interface Move {
  target: CheckedEntry
  notes: string | undefined
}

/**
 * Returns the spans that the fixes delete, each with the span that receives its notes: for a span that others cover
 * completely, one that begins in it and is not deleted; for a shorter entry of the same task, the one around it. All fixes for one target write the same notes, so that their order does not matter.
 */
function notesToMove(swept: readonly OpenSpan[]): Map<OpenSpan, Move> {
  const survivors = new Map<OpenSpan, OpenSpan>()
  const notes = new Map<OpenSpan, Set<string>>()
  const addNotes = (survivor: OpenSpan, { span }: OpenSpan) => {
    const own = notes.get(survivor)
    if (own) own.add(span.notes.trim())
    else notes.set(survivor, new Set([span.notes.trim()]))
  }
  for (const open of [...swept].reverse()) {
    const [first] = open.inner
    const survivor = open.uncovered.length === 0 && first ? (survivors.get(first) ?? first) : open
    survivors.set(open, survivor)
    addNotes(survivor, open)
    const duplicate = innerDuplicate(open)
    if (!duplicate) continue
    survivors.set(duplicate, open)
    addNotes(open, duplicate)
  }
  // Many spans may have the same survivor, whose notes are then long.
  const moveTo = new Map<OpenSpan, Move>()
  for (const [survivor, texts] of notes) {
    const all = [...texts].filter((text) => text !== '').join('; ')
    const { span } = survivor
    moveTo.set(survivor, { target: span, notes: all === span.notes.trim() ? undefined : all })
  }
  const moves = new Map<OpenSpan, Move>()
  for (const [open, survivor] of survivors) {
    const move = moveTo.get(survivor)
    if (open !== survivor && move) moves.set(open, move)
  }
  return moves
}

function* finding(open: OpenSpan, moves: ReadonlyMap<OpenSpan, Move>): Generator<Finding> {
  const { span, inner, coveredUntilMs } = open
  const [first] = inner
  const sharedMs = open.uncovered.reduce(
    (remainingMs, piece) => remainingMs - (piece.toMs - piece.fromMs),
    span.toMs - span.fromMs,
  )
  if (!first || sharedMs < 1000) return
  const move = moves.get(open)
  const removed = move ? open : innerDuplicate(open)
  const removal = removed && moves.get(removed)
  const others =
    inner.length > 1
      ? `and ${inner.length} others`
      : first.span.label === span.label
        ? 'twice'
        : `and ${first.span.label}`
  const alternative = earlierEnd(open)
  yield {
    kind: 'overlap',
    from: new Date(first.span.fromMs),
    to: new Date(Math.min(coveredUntilMs, span.toMs)),
    seconds: Math.floor(sharedMs / 1000),
    entries: [span.id, ...inner.map(({ span }) => span.id)],
    what: `${span.label} ${others}${duplicateText(open, move)}`,
    fixes: removed && removal ? removalOf(removed.span, removal) : rearrangement(open),
    ...(alternative === undefined ? {} : { alternative }),
  }
}

/** Returns the only span in this one, if it is a finished entry of the same task that ends no later and covers only a part. */
function innerDuplicate({ span, inner, uncovered }: OpenSpan): OpenSpan | undefined {
  const [first, ...others] = inner
  if (!first || others.length > 0 || first.inner.length > 0 || uncovered.length === 0) return undefined
  const { linkId, running, toMs } = first.span
  const isSameTask = linkId !== null && String(linkId) === String(span.linkId)
  return isSameTask && !running && toMs <= span.toMs ? first : undefined
}

/** Names the entry that the fixes delete, because other entries contain all of its time. */
function duplicateText({ span, inner }: OpenSpan, move: Move | undefined): string {
  if (!move) return ''
  const notes = move.notes === undefined ? '' : `, and its notes go to entry ${move.target.id}`
  const [other] = inner
  const isDuplicate = inner.every(({ span: { label } }) => label === span.label)
  const within = inner.length === 1 ? `entry ${other?.span.id}` : 'the others'
  return `; entry ${span.id} ${isDuplicate ? 'is a duplicate' : `lies within ${within}`}${notes}`
}

function removalOf({ id }: CheckedEntry, { target, notes }: Move): EntryFix[] {
  const remove: EntryFix = { action: 'remove', id }
  return notes === undefined ? [remove] : [{ action: 'edit', id: target.id, notes }, remove]
}

/**
 * Adds or splits off all uncovered parts of the entry but the first, then moves the entry to the first one, so that its
 * time stays tracked throughout. A part at its end is split off with all fields of the entry, also while it is running.
 */
function rearrangement({ span, uncovered }: OpenSpan): EntryFix[] {
  const [first, ...rest] = uncovered
  if (!first) return [{ action: 'remove', id: span.id }]
  const last = rest.at(-1)?.toMs === span.toMs ? rest.pop() : undefined
  return [
    ...rest.map((piece) => copy(span, piece)),
    ...(last ? [{ action: 'split' as const, id: span.id, at: new Date(last.fromMs) }] : []),
    moved(span, first, last ? last.fromMs : span.toMs),
  ]
}

/** @param endMs the end of the entry when the change is made */
function moved(
  { id, fromMs }: CheckedEntry,
  piece: Piece,
  endMs: number,
): Extract<EntryFix, { action: 'edit' }> {
  return {
    action: 'edit',
    id,
    ...(piece.fromMs === fromMs ? {} : { from: new Date(piece.fromMs) }),
    ...(piece.toMs === endMs ? {} : { to: new Date(piece.toMs) }),
  }
}

function copy({ linkId, notes }: CheckedEntry, piece: Piece): EntryFix {
  const times = { from: new Date(piece.fromMs), to: new Date(piece.toMs) }
  return { action: 'add', linkId, ...times, ...(notes.trim() === '' ? {} : { notes }) }
}

/** Ends an entry with many uncovered parts where the first other entry begins; undefined for fewer parts. */
function earlierEnd({ span, uncovered }: OpenSpan): Finding['alternative'] {
  const [first, ...rest] = uncovered
  if (!first || uncovered.length <= maxPieces) return undefined
  const removedMs = rest.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  return { fix: moved(span, first, span.toMs), removedSeconds: Math.floor(removedMs / 1000) }
}
