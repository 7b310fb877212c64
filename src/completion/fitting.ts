import { fold } from '../nearest.js'
import type { Candidate } from './candidates.js'

/**
 * The candidates that what was typed may be the beginning of, in their order, from the strictest reading that fits any:
 * beginnings as they are spelled; beginnings with case and accents folded; with `anywhere`, parts of the value; then
 * those in which each typed word begins some word.
 */
export function fitting(candidates: readonly Candidate[], typed: string, anywhere = false): Candidate[] {
  const spelled = candidates.filter(({ value }) => value.startsWith(typed))
  if (spelled.length > 0 || typed === '') return spelled
  const wanted = fold(typed)
  const folded = candidates.map((candidate) => ({ candidate, value: fold(candidate.value) }))
  const words = wordsOf(wanted)
  const readings: ((value: string) => boolean)[] = [(value) => value.startsWith(wanted)]
  if (anywhere && words.length > 0) {
    readings.push((value) => value.includes(wanted))
    readings.push((value) => words.every((word) => wordsOf(value).some((other) => other.startsWith(word))))
  }
  for (const fits of readings) {
    const found = folded.filter(({ value }) => fits(value))
    if (found.length > 0) return found.map(({ candidate }) => candidate)
  }
  return []
}

function wordsOf(text: string): string[] {
  return text.split(/[\s/]+/).filter((word) => word !== '')
}
