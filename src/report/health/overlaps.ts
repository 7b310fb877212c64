import type { Finding, Span } from './finding.js'
import { timeWord, word } from './shell.js'

interface Piece {
  fromMs: number
  toMs: number
}

/** A span that others may still begin in. */
interface Open {
  span: Span
  /** Those that begin while it goes on, and while nothing else does that has begun after it. */
  begun: Span[]
  /** The parts of it that nothing covers that has begun after it. */
  free: Piece[]
  /** Where that ends which has begun after it. */
  reachMs: number
}

/** Whoever has that much left of an entry after others has forgotten to stop it, rather than to split it. */
const mostPieces = 4

/**
 * Each span that goes on while others begin, with these others. The spans are in order of their starts; of equal
 * ones, the longer comes first.
 *
 * Each span is named with the latest one that it begins in, so that many at once make a finding each, not one for
 * each pair. The command leaves to each span what nothing covers that begins after it: all commands together leave
 * every moment to one entry.
 */
export function* overlaps(spans: readonly Span[]): Generator<Finding> {
  const open: Open[] = []
  for (const span of spans) {
    if (span.toMs <= span.fromMs) continue
    yield* closed(open, span.fromMs)
    const around = open.at(-1)
    if (around) {
      around.begun.push(span)
      free(around, span.fromMs)
    }
    open.push({ span, begun: [], free: [], reachMs: span.fromMs })
  }
  yield* closed(open, Infinity)
}

/** Takes away those that have ended, as far as others that go on do not hide them. */
function* closed(open: Open[], atMs: number): Generator<Finding> {
  for (let last = open.at(-1); last && last.span.toMs <= atMs; last = open.at(-1)) {
    open.pop()
    const around = open.at(-1)
    if (around) around.reachMs = Math.max(around.reachMs, last.reachMs, last.span.toMs)
    if (last.begun.length > 0) yield* finding(last)
  }
}

function free({ free, reachMs }: Open, untilMs: number) {
  // What is shorter than a second is of no use to anybody.
  if (untilMs - reachMs >= 1000) free.push({ fromMs: reachMs, toMs: untilMs })
}

function* finding(open: Open): Generator<Finding> {
  const { span, begun, reachMs } = open
  const [first] = begun
  free(open, span.toMs)
  const sharedMs = open.free.reduce(
    (left, piece) => left - (piece.toMs - piece.fromMs),
    span.toMs - span.fromMs,
  )
  if (!first || sharedMs < 1000) return
  const others = begun.length === 1 ? first.label : `${begun.length} others`
  yield {
    kind: 'overlap',
    from: new Date(first.fromMs),
    to: new Date(Math.min(reachMs, span.toMs)),
    seconds: Math.floor(sharedMs / 1000),
    entries: [span.id, ...begun.map(({ id }) => id)],
    what: `${span.label} and ${others} at the same time${outcome(open)}`,
    mend: mend(open),
  }
}

/** What the command does besides ending the entry earlier. */
function outcome({ free }: Open): string {
  if (free.length === 0) return '; all of it lies within others'
  if (free.length > mostPieces) return '; it is ended where the first of them begins'
  return free.length > 1 ? '; it is split around what lies within it' : ''
}

/** Moves the entry to the first part of it that is free, and splits off or adds again the others. */
function mend({ span, free }: Open): string {
  const [first, ...rest] = free
  if (!first) return `tt rm ${word(String(span.id))}`
  const from = first.fromMs === span.fromMs ? '' : ` --from ${timeWord(first.fromMs)}`
  const to = first.toMs === span.toMs ? '' : ` --to ${timeWord(first.toMs)}`
  const id = word(String(span.id))
  const edit = `tt edit ${id}${from}${to}`
  const [second] = rest
  // A piece that goes on to the end is split off with all that the entry has.
  if (second && rest.length === 1 && second.toMs === span.toMs)
    return `tt split ${id} --at ${timeWord(second.fromMs)} && ${edit}`
  return free.length > mostPieces ? edit : [edit, ...rest.map((piece) => again(span, piece))].join(' && ')
}

function again({ linkId, notes, running, toMs }: Span, piece: Piece): string {
  const task = linkId === null ? 'TASK' : word(String(linkId))
  const noted = notes.trim() === '' ? '' : ` -n ${word(notes)}`
  const from = timeWord(piece.fromMs)
  return running && piece.toMs === toMs
    ? `tt start ${task} --at ${from}${noted}`
    : `tt add ${task} --from ${from} --to ${timeWord(piece.toMs)}${noted}`
}
