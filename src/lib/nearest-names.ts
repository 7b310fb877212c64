/** What somebody may have meant: names that are most like what was typed, with case and accents folded. */

/** Folds case and accents and evens out white space, so that "Müller  GmbH" and "muller gmbh" are the same. */
export function fold(text: string): string {
  // The pattern takes long to make: for accents alone.
  const bare = /^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  return bare.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Upper bound for the length of the texts that are compared: no longer name has a typo that a suggestion would help. */
const longestName = 200

/** The names most like the typed one, best first, at most `most`; those that are nothing like it are left out. */
export function nearestNames(typed: string, names: readonly string[], most = 3): string[] {
  if (typed.length > longestName) return []
  const wanted = fold(typed)
  return [...new Set(names)]
    .filter((name) => name.length <= longestName)
    .map((name) => ({ name, slips: distance(wanted, fold(name)) }))
    .filter(({ name, slips }) => slips <= Math.max(2, Math.ceil(Math.max(wanted.length, name.length) / 2.5)))
    .sort((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

/** " Nearest: Design, Design review." to follow the sentence about what was typed; empty where nothing is like it. */
export function nearestNamesText(typed: string, names: readonly string[]): string {
  const near = nearestNames(typed, names)
  return near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''
}

/** Whether the edit distance of two texts is at most `most`; false for texts longer than 200 characters. */
export function isWithin(most: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > most || Math.max(a.length, b.length) > longestName) return false
  return distance(a, b) <= most
}

/**
 * How many single letters must be added, dropped, changed or swapped with their neighbour (optimal string alignment).
 * Takes time and memory in proportion to the product of both lengths.
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
