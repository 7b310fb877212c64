/**
 * How a typed word finds a task link. Names are compared with case and accents folded; a path is a list of
 * names from the outside in: client, project, task, or project and task where there is no client.
 */

/** Folds case and accents and evens out white space, so that "Müller  GmbH" and "muller gmbh" are the same. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** The segments of what was typed: "Acme / Website/Design" has three. */
export function segmentsOf(text: string): string[] {
  return text
    .split('/')
    .map((segment) => segment.replace(/\s+/g, ' ').trim())
    .filter((segment) => segment !== '')
}

/**
 * The candidates whose path fits the typed text, from the strictest reading that fits any: whole names as they are
 * spelled, whole names, beginnings of names, parts of names, each word the beginning of some word.
 */
export function match<Candidate>(
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
    (path) => inOrder(path, wanted, (name, segment) => name.startsWith(segment)),
    (path) => inOrder(path, wanted, (name, segment) => name.includes(segment)),
    (path) => eachWordBegins(path, wanted),
  ]
  for (const fits of readings) {
    const found = folded.filter(({ path }) => fits(path))
    if (found.length > 0) return found.map(({ candidate }) => candidate)
  }
  return []
}

/** Whether two names differ by so little that one may be a slip of the other. Equal names are not near. */
export function isNear(name: string, other: string): boolean {
  const [a, b] = [fold(name), fold(other)]
  return a !== b && distance(a, b) <= slipsAllowed(Math.max(a.length, b.length))
}

/** The names most like the typed one, best first, at most `most`; those that are nothing like it are left out. */
export function nearest(typed: string, names: readonly string[], most = 3): string[] {
  const wanted = fold(typed)
  return [...new Set(names)]
    .map((name) => ({ name, slips: distance(wanted, fold(name)) }))
    .filter(({ name, slips }) => slips <= Math.max(2, Math.ceil(Math.max(wanted.length, name.length) / 2.5)))
    .sort((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
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

/** "web des" fits "Website / Design": only for text without a slash, whose segments say more. */
function eachWordBegins(path: string[], wanted: string[]): boolean {
  const [only, ...more] = wanted
  if (only === undefined || more.length > 0) return false
  const words = path.flatMap((name) => name.split(' '))
  return only.split(' ').every((typed) => words.some((word) => word.startsWith(typed)))
}

function slipsAllowed(length: number): number {
  if (length <= 3) return 0
  return length <= 5 ? 1 : 2
}

/** How many single letters must be added, dropped, changed or swapped with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let i = 1; i <= left.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change)
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      if (swapped) best = Math.min(best, at(i - 2, j - 2) + 1)
      rows[i]?.push(best)
    }
  }
  return at(left.length, right.length)
}
