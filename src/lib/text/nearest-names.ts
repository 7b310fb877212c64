/** Suggestions for mistyped names. Names are compared without regard to case and accents. */

/** Returns the text without case, accents and repeated white space: "Müller  GmbH" becomes "muller gmbh". */
export function fold(text: string): string {
  // Compiling the pattern for accents is slow, so ASCII skips it.
  const withoutAccents = /^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  return withoutAccents.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Upper bound for the length of the texts that are compared. */
const maxNameLength = 200

/**
 * Returns up to `limit` names that begin with the typed one, the shortest first, then those that are similar to it, most
 * similar first: at most half of it differs. Equally good names remain in the given order.
 */
export function nearestNames(typed: string, names: readonly string[], limit = 3): string[] {
  if (typed.length > maxNameLength) return []
  const folded = fold(typed)
  return [...new Set(names)]
    .filter((name) => name.length <= maxNameLength)
    .map((name) => {
      const isBeginning = folded !== '' && fold(name).startsWith(folded)
      return { name, isBeginning, edits: distance(folded, fold(name)) }
    })
    .filter(({ name, isBeginning, edits }) => {
      if (isBeginning) return true
      const maxEdits = Math.max(2, Math.ceil(Math.max(folded.length, name.length) / 2.5))
      return edits <= Math.min(maxEdits, folded.length / 2)
    })
    .sort((a, b) => Number(b.isBeginning) - Number(a.isBeginning) || a.edits - b.edits)
    .slice(0, limit)
    .map(({ name }) => name)
}

/** Returns " Did you mean Design or Design review?" to append to a message; empty when no name is similar. */
export function nearestNamesText(typed: string, names: readonly string[]): string {
  return suggestionText(nearestNames(typed, names))
}

/** Returns the names as a question to append to a message; empty without names. */
export function suggestionText(names: readonly string[]): string {
  if (names.length === 0) return ''
  const last = names.slice(-1)
  return ` Did you mean ${[...(names.length > 1 ? [names.slice(0, -1).join(', ')] : []), ...last].join(' or ')}?`
}

/** Whether the edit distance of two texts is at most `maxEdits`; false for texts longer than 200 characters. */
export function isWithin(maxEdits: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > maxEdits || Math.max(a.length, b.length) > maxNameLength) return false
  return distance(a, b) <= maxEdits
}

/**
 * Returns how many single letters must be added, dropped, changed or swapped with their neighbour (optimal string
 * alignment distance). Takes time and memory proportional to the product of both lengths.
 */
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
