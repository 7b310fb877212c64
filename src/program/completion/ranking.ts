import type { Candidate } from './candidates.js'

/**
 * Returns the candidates that match the typed text, in their order, by the strictest rule that any candidate matches: the
 * value begins with the text; the same ignoring case and accents; with `matchesInside`, the value or the label contains
 * the text; each typed word begins a word of the value or the label.
 */
export function rankCandidates(
  candidates: readonly Candidate[],
  typed: string,
  matchesInside = false,
): Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(typed))
  if (exact.length > 0 || typed === '') return exact
  const folded = fold(typed)
  const words = [...new Set(wordsOf(folded))]
  const rules: ((candidate: Candidate) => boolean)[] = [({ value }) => fold(value).startsWith(folded)]
  if (matchesInside && words.length > 0) {
    rules.push((candidate) => searchText(candidate).includes(folded))
    rules.push((candidate) => {
      const candidateWords = wordsOf(searchText(candidate))
      return words.every((word) => candidateWords.some((candidateWord) => candidateWord.startsWith(word)))
    })
  }
  for (const matches of rules) {
    const found = candidates.filter(matches)
    if (found.length > 0) return found
  }
  return []
}

function searchText({ value, label = '' }: Candidate): string {
  return fold(`${value} ${label}`)
}

/** Equals `fold` of src/lib/text/nearest-names.ts. Importing that would load more code of other commands. */
function fold(text: string): string {
  const plain = /^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.toLowerCase()
}

function wordsOf(text: string): string[] {
  return text.split(/[\s/]+/).filter((word) => word !== '')
}
