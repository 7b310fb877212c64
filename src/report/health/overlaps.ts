import { formatDuration } from '../../calendar/duration.js'
import { recordCommand } from '../../cli/record-command.js'
import type { Finding, Span } from './finding.js'
import { quoteTime, quoteWord } from './shell-quoting.js'

interface Piece {
  fromMs: number
  toMs: number
}

/** A span with the spans that begin in it. */
interface OpenSpan {
  span: Span
  /** Those that begin while it goes on, and while nothing else does that has begun after it. */
  inner: OpenSpan[]
  /** The parts of it that nothing covers that has begun after it. */
  uncovered: Piece[]
  /** Where that ends which has begun after it. */
  coveredUntilMs: number
}

/** A span with more parts left than this was probably forgotten: ending it where the first other begins is offered too. */
const maxPieces = 4

/** Without prompts: a prompt that is declined halfway through a chain of commands would leave it unfinished. */
const yes = ' --yes'

/**
 * Each span that goes on while others begin, with these others. The spans are in order of their starts; of equal
 * ones, the longer comes first.
 *
 * Each span is named with the latest one that it begins in, so that many at once make a finding each, not one for
 * each pair. The command leaves to each span what nothing covers that begins after it. All commands together leave
 * every moment to one entry; each of them, in any order, leaves every moment to an entry and every note in one.
 */
export function* overlaps(spans: readonly Span[]): Generator<Finding> {
  const swept = sweep(spans)
  const moves = notesToMove(swept)
  for (const open of swept) if (open.inner.length > 0) yield* finding(open, moves)
}

/** The spans that have a length, in their order, with what begins in them. */
function sweep(spans: readonly Span[]): OpenSpan[] {
  const swept: OpenSpan[] = []
  const stack: OpenSpan[] = []
  for (const span of spans) {
    if (span.toMs <= span.fromMs) continue
    close(stack, span.fromMs)
    const open: OpenSpan = { span, inner: [], uncovered: [], coveredUntilMs: span.fromMs }
    const around = stack.at(-1)
    if (around) {
      around.inner.push(open)
      free(around, span.fromMs)
    }
    stack.push(open)
    swept.push(open)
  }
  close(stack, Infinity)
  return swept
}

/** Takes away those that have ended, as far as others that go on do not hide them. */
function close(stack: OpenSpan[], atMs: number) {
  for (let last = stack.at(-1); last && last.span.toMs <= atMs; last = stack.at(-1)) {
    stack.pop()
    free(last, last.span.toMs)
    const around = stack.at(-1)
    if (around) around.coveredUntilMs = Math.max(around.coveredUntilMs, last.coveredUntilMs, last.span.toMs)
  }
}

function free({ uncovered: free, coveredUntilMs: reachMs }: OpenSpan, untilMs: number) {
  // What is shorter than a second is of no use to anybody.
  if (untilMs - reachMs >= 1000) free.push({ fromMs: reachMs, toMs: untilMs })
}

/** A span that stays, and the notes that it takes over from spans that are deleted; undefined where it has them all. */
interface Move {
  target: Span
  notes: string | undefined
}

/**
 * For each span that others cover whole, the span that takes over its notes: one that begins in it and stays. Every
 * command for one target writes the same notes, those of all spans that it takes over, so that their order is of no
 * importance.
 */
function notesToMove(swept: readonly OpenSpan[]): Map<OpenSpan, Move> {
  const survivors = new Map<OpenSpan, OpenSpan>()
  const notes = new Map<OpenSpan, Set<string>>()
  for (const open of [...swept].reverse()) {
    const [first] = open.inner
    const survivor = open.uncovered.length === 0 && first ? (survivors.get(first) ?? first) : open
    survivors.set(open, survivor)
    // From the last to the first: its own notes come first where it is the survivor.
    const known = notes.get(survivor) ?? new Set()
    notes.set(survivor, known.add(open.span.notes.trim()))
  }
  const moves = new Map<OpenSpan, Move>()
  for (const [open, survivor] of survivors) {
    if (open === survivor) continue
    const all = [...(notes.get(survivor) ?? [])].filter((text) => text !== '').join('; ')
    const { span } = survivor
    moves.set(open, { target: span, notes: all === span.notes.trim() ? undefined : all })
  }
  return moves
}

function* finding(open: OpenSpan, moves: ReadonlyMap<OpenSpan, Move>): Generator<Finding> {
  const { span, inner: begun, coveredUntilMs: reachMs } = open
  const [first] = begun
  const sharedMs = open.uncovered.reduce(
    (left, piece) => left - (piece.toMs - piece.fromMs),
    span.toMs - span.fromMs,
  )
  if (!first || sharedMs < 1000) return
  const move = moves.get(open)
  const others = begun.length === 1 ? first.span.label : `${begun.length} others`
  const alternative = forgotten(open)
  yield {
    kind: 'overlap',
    from: new Date(first.span.fromMs),
    to: new Date(Math.min(reachMs, span.toMs)),
    seconds: Math.floor(sharedMs / 1000),
    entries: [span.id, ...begun.map(({ span }) => span.id)],
    what: `${span.label} and ${others} at the same time${outcome(open, move)}`,
    mend: move ? deletion(span, move) : mend(open),
    ...(alternative === undefined ? {} : { alternative }),
  }
}

/** What the command does, where it does more than end the entry earlier. */
function outcome({ uncovered: free }: OpenSpan, move: Move | undefined): string {
  if (!move) return free.length > 1 ? '; the command splits it around the entries inside it' : ''
  const notes = move.notes === undefined ? '' : `, and its notes go to entry ${move.target.id}`
  return `; other entries cover all of it${notes}`
}

function deletion({ id }: Span, { target, notes }: Move): string {
  const remove = recordCommand('tt rm', id, yes, quoteWord)
  return notes === undefined
    ? remove
    : `${recordCommand('tt edit', target.id, ` --notes ${quoteWord(notes)}`, quoteWord)} && ${remove}`
}

/**
 * Adds or splits off all free parts of the entry but the first, and then moves the entry to that one: its time is
 * tracked throughout. A last part that goes on to its end is split off with all that the entry has, also while it runs.
 */
function mend({ span, uncovered: free }: OpenSpan): string {
  const [first, ...rest] = free
  if (!first) return recordCommand('tt rm', span.id, yes, quoteWord)
  const last = rest.at(-1)?.toMs === span.toMs ? rest.pop() : undefined
  return [
    ...rest.map((piece) => again(span, piece)),
    ...(last ? [recordCommand('tt split', span.id, ` --at ${quoteTime(last.fromMs)}`, quoteWord)] : []),
    moved(span, first, last ? last.fromMs : span.toMs),
  ].join(' && ')
}

/** @param endMs where the entry ends when the command runs */
function moved({ id, fromMs }: Span, piece: Piece, endMs: number): string {
  const from = piece.fromMs === fromMs ? '' : ` --from ${quoteTime(piece.fromMs)}`
  const to = piece.toMs === endMs ? '' : ` --to ${quoteTime(piece.toMs)}`
  return recordCommand('tt edit', id, `${from}${to}`, quoteWord)
}

function again({ linkId, notes }: Span, piece: Piece): string {
  const task = linkId === null ? 'TASK' : quoteWord(String(linkId))
  const noted = notes.trim() === '' ? '' : ` -n ${quoteWord(notes)}`
  return `tt add ${task}${yes} --from ${quoteTime(piece.fromMs)} --to ${quoteTime(piece.toMs)}${noted}`
}

/** The command that ends an entry where the first other begins, with what it removes as a comment. */
function forgotten({ span, uncovered: free }: OpenSpan): string | undefined {
  const [first, ...rest] = free
  if (!first || free.length <= maxPieces) return undefined
  const removedMs = rest.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const removed = formatDuration(Math.floor(removedMs / 1000))
  return `${moved(span, first, span.toMs)} # removes ${removed} from entry ${span.id}`
}
