import { fold, isWithin } from '../lib/nearest-names.js'

/**
 * How a typed word finds a task link. Names are compared with case and accents folded; a path is a list of
 * names from the outside in: client, project, task, or project and task where there is no client.
 */

/** The segments of what was typed: "Acme / Website/Design" has three. */
export function segmentsOf(text: string): string[] {
  return text
    .split('/')
    .map((segment) => segment.replace(/\s+/g, ' ').trim())
    .filter((segment) => segment !== '')
}

/**
 * Returns the candidates whose path fits the typed text, from the strictest reading that fits any: whole names as they
 * are spelled, whole names, each segment the beginning of a name or of a word in it, each word the beginning of a word.
 */
export function matchNames<Candidate>(
  typed: string,
  candidates: readonly Candidate[],
  pathOf: (candidate: Candidate) => readonly string[],
): Candidate[] {
  const segments = segmentsOf(typed)
  if (segments.length === 0) return []
  const spelled = candidates.filter((candidate) => endsWith(pathOf(candidate), segments))
  if (spelled.length > 0) return spelled
  const wanted = segments.map(fold)
  const folded = candidates.map((candidate) => ({ candidate, path: pathOf(candidate).map(fold) }))
  const readings: ((path: string[]) => boolean)[] = [
    (path) => endsWith(path, wanted),
    (path) => inOrder(path, wanted, (name, segment) => name === segment),
    (path) => inOrder(path, wanted, beginsWord),
    (path) => eachWordBegins(path, wanted),
  ]
  for (const fits of readings) {
    const found = folded.filter(({ path }) => fits(path))
    if (found.length > 0) return found.map(({ candidate }) => candidate)
  }
  return []
}

/**
 * Returns the candidates that have each segment anywhere in a name, also in the middle of a word: such a match is
 * offered and never used silently.
 */
export function matchInsideWords<Candidate>(
  typed: string,
  candidates: readonly Candidate[],
  pathOf: (candidate: Candidate) => readonly string[],
): Candidate[] {
  const wanted = segmentsOf(typed).map(fold)
  if (wanted.length === 0) return []
  const isInside = (name: string, segment: string) => name.includes(segment)
  return candidates.filter((candidate) => inOrder(pathOf(candidate).map(fold), wanted, isInside))
}

/** Whether two names differ by so little that one may be a slip of the other. Equal names are not near. */
export function isNear(name: string, other: string): boolean {
  const [a, b] = [fold(name), fold(other)]
  return a !== b && isWithin(slipsAllowed(Math.max(a.length, b.length)), a, b)
}

function endsWith(path: readonly string[], wanted: string[]): boolean {
  const from = path.length - wanted.length
  return from >= 0 && wanted.every((segment, index) => path[from + index] === segment)
}

function inOrder(
  path: string[],
  wanted: string[],
  fits: (name: string, segment: string) => boolean,
): boolean {
  let next = 0
  for (const name of path) {
    const segment = wanted[next]
    if (segment !== undefined && fits(name, segment)) next++
  }
  return next === wanted.length
}

/** Whether the segment is the beginning of the name or of a word in it. */
function beginsWord(name: string, segment: string): boolean {
  for (let at = name.indexOf(segment); at >= 0; at = name.indexOf(segment, at + 1))
    if (at === 0 || separators.test(name.charAt(at - 1))) return true
  return false
}

/** What words are separated by: ASCII characters that are neither letters nor digits, and general punctuation. */
const separators = /[^a-z0-9\u0080-\u1fff\u2070-\uffff]/

/** "web des" fits "Website / Design": only for text without a slash, whose segments say more. */
function eachWordBegins(path: string[], wanted: string[]): boolean {
  const [only, ...more] = wanted
  if (only === undefined || more.length > 0) return false
  // A longer text can only repeat words, and may have a great many of them.
  if (only.length > path.join(' ').length) return false
  return only.split(' ').every((typed) => path.some((name) => beginsWord(name, typed)))
}

function slipsAllowed(length: number): number {
  if (length <= 3) return 0
  return length <= 5 ? 1 : 2
}
