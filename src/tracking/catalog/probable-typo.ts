import { fold } from '../../lib/text/nearest-names.js'

/** The least length of a word with a typo: shorter words that differ in a letter are often different words. */
const minLetters = 5

/**
 * Whether the names differ, word by word, in exactly one word of at least five letters, by one letter that is changed,
 * added, missing or swapped with its neighbour. A difference in digits is none of a typo: "Sprint 12" and "Sprint 13".
 * Ignores case, accents and punctuation. Takes time proportional to the length of the names.
 */
export function isProbableTypo(name: string, other: string): boolean {
  const [words, otherWords] = [wordsOf(name), wordsOf(other)]
  if (words.length !== otherWords.length) return false
  const differing = words.flatMap((word, index) => {
    const otherWord = otherWords[index] ?? ''
    return word === otherWord ? [] : [[word, otherWord] as const]
  })
  const [only, ...others] = differing
  return only !== undefined && others.length === 0 && only.every(isLong) && differsInOneLetter(...only)
}

function wordsOf(name: string): string[] {
  return fold(name).match(/[\p{L}\p{N}]+/gu) ?? []
}

function isLong(word: string): boolean {
  return (word.match(/\p{L}/gu) ?? []).length >= minLetters
}

/** Whether the words differ by one letter that is changed, added, missing or swapped with its neighbour. */
function differsInOneLetter(word: string, other: string): boolean {
  const [a, b] = [[...word], [...other]]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [from, to] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (![...from, ...to].every((character) => /\p{L}/u.test(character))) return false
  const isSwapped = from.length === 2 && from.toReversed().join() === to.join()
  return Math.max(from.length, to.length) === 1 || isSwapped
}
