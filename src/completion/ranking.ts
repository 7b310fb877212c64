import type { Candidate } from './candidates.js'

/**
 * The candidates that what was typed may be the beginning of, in their order, from the strictest reading that fits any:
 * beginnings as they are spelled; beginnings with case and accents folded; with `anywhere`, parts of the value or
 * the label; then those in which each typed word begins some word.
 */
export function rankCandidates(
  candidates: readonly Candidate[],
  typed: string,
  anywhere = false,
): Candidate[] {
  const spelled = candidates.filter(({ value }) => value.startsWith(typed))
  if (spelled.length > 0 || typed === '') return spelled
  const wanted = fold(typed)
  const words = [...new Set(wordsOf(wanted))]
  const readings: ((candidate: Candidate) => boolean)[] = [({ value }) => fold(value).startsWith(wanted)]
  if (anywhere && words.length > 0) {
    readings.push((candidate) => known(candidate).includes(wanted))
    readings.push((candidate) => {
      const others = wordsOf(known(candidate))
      return words.every((word) => others.some((other) => other.startsWith(word)))
    })
  }
  for (const fits of readings) {
    const found = candidates.filter(fits)
    if (found.length > 0) return found
  }
  return []
}

function known({ value, label = '' }: Candidate): string {
  return fold(`${value} ${label}`)
}

/** What `fold` of src/lib/nearest-names.ts makes of it, which would have the packs of other commands loaded. */
function fold(text: string): string {
  const bare = /^[ -~]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
  return bare.toLowerCase()
}

function wordsOf(text: string): string[] {
  return text.split(/[\s/]+/).filter((word) => word !== '')
}
