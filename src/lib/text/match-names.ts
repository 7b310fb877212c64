import { fold } from './nearest-names.js'

/**
 * Matches typed text with the paths of records. Names are compared ignoring case and accents. A path is a list of names,
 * such as those of a task link: client, project and task, or project and task.
 */

/** Splits typed text into segments: "Acme / Website/Design" has three. */
export function segmentsOf(text: string): string[] {
  return text
    .split('/')
    .map((segment) => segment.replace(/\s+/g, ' ').trim())
    .filter((segment) => segment !== '')
}

/**
 * Returns the candidates whose path matches the typed text, by the strictest rule that any candidate matches: equal names;
 * names equal except for case and accents; each segment begins a name or a word in it; each word begins a word.
 */
export function matchNames<Candidate>(
  typed: string,
  candidates: readonly Candidate[],
  pathOf: (candidate: Candidate) => readonly string[],
): Candidate[] {
  const segments = segmentsOf(typed)
  if (segments.length === 0) return []
  const exact = candidates.filter((candidate) => endsWith(pathOf(candidate), segments))
  if (exact.length > 0) return exact
  const foldedSegments = segments.map(fold)
  const folded = candidates.map((candidate) => ({ candidate, path: pathOf(candidate).map(fold) }))
  const rules: ((path: string[]) => boolean)[] = [
    (path) => endsWith(path, foldedSegments),
    (path) => inOrder(path, foldedSegments, (name, segment) => name === segment),
    (path) => inOrder(path, foldedSegments, beginsWord),
    (path) => eachWordBegins(path, foldedSegments),
  ]
  for (const matches of rules) {
    const found = folded.filter(({ path }) => matches(path))
    if (found.length > 0) return found.map(({ candidate }) => candidate)
  }
  return []
}

/**
 * Returns the candidates whose path ends with the typed names, ignoring case and accents; if the names are the whole path of
 * any, only those.
 */
export function matchWholeNames<Candidate>(
  typed: string,
  candidates: readonly Candidate[],
  pathOf: (candidate: Candidate) => readonly string[],
): Candidate[] {
  const segments = segmentsOf(typed).map(fold)
  if (segments.length === 0) return []
  const ending = candidates.filter((candidate) => endsWith(pathOf(candidate).map(fold), segments))
  const complete = ending.filter((candidate) => pathOf(candidate).length === segments.length)
  return complete.length > 0 ? complete : ending
}

/**
 * Returns the candidates with each segment anywhere in a name, also inside a word. The user must confirm such a match.
 */
export function matchInsideWords<Candidate>(
  typed: string,
  candidates: readonly Candidate[],
  pathOf: (candidate: Candidate) => readonly string[],
): Candidate[] {
  const foldedSegments = segmentsOf(typed).map(fold)
  if (foldedSegments.length === 0) return []
  const isInside = (name: string, segment: string) => name.includes(segment)
  return candidates.filter((candidate) => inOrder(pathOf(candidate).map(fold), foldedSegments, isInside))
}

function endsWith(path: readonly string[], foldedSegments: string[]): boolean {
  const from = path.length - foldedSegments.length
  return from >= 0 && foldedSegments.every((segment, index) => path[from + index] === segment)
}

function inOrder(
  path: string[],
  foldedSegments: string[],
  matches: (name: string, segment: string) => boolean,
): boolean {
  let next = 0
  for (const name of path) {
    const segment = foldedSegments[next]
    if (segment !== undefined && matches(name, segment)) next++
  }
  return next === foldedSegments.length
}

/** Whether the segment is the beginning of the name or of a word in it. */
function beginsWord(name: string, segment: string): boolean {
  for (let at = name.indexOf(segment); at >= 0; at = name.indexOf(segment, at + 1))
    if (at === 0 || separators.test(name.charAt(at - 1))) return true
  return false
}

/** Matches separators of words: ASCII characters except letters and digits, and general punctuation. */
const separators = /[^a-z0-9\u0080-\u1fff\u2070-\uffff]/

/** Whether each typed word begins a word of the path: "web des" matches "Website / Design". False for text with a slash. */
function eachWordBegins(path: string[], foldedSegments: string[]): boolean {
  const [only, ...others] = foldedSegments
  if (only === undefined || others.length > 0) return false
  // Longer text can only repeat words, possibly very many.
  if (only.length > path.join(' ').length) return false
  return only.split(' ').every((typed) => path.some((name) => beginsWord(name, typed)))
}

/** Whether these names are a pattern of client/project/task: three at most; only the client may be empty. */
export function isPattern(names: readonly string[]): boolean {
  return names.length <= 3 && !names.slice(names.length > 1 ? 1 : 0).includes('')
}
