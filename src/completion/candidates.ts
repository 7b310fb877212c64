/** What may stand at the cursor. */
export interface Candidate {
  /** The whole word as the command is to get it; no shell's quotes are in it. */
  value: string
  /** What it is, in a few words; may be empty. */
  description: string
  /** Words by which it is found besides. */
  label?: string
}

/** What is offered at the cursor. */
export interface CompletionResult {
  candidates: Candidate[]
  /** Names of files would do as well: the shell knows those. */
  offersFiles?: boolean
  /** The word goes on after the value: no space is to follow it. */
  isOpen?: boolean
}

export const noCandidates: CompletionResult = { candidates: [] }

/** Candidates without a description. */
export function toCandidates(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, description: '' }))
}

/** Text that needs no pattern of whole Unicode properties, which takes long to make for somebody who is typing. */
const ascii = /^[ -~]*$/

/**
 * Whether a shell can be given it as a word: not control characters, half characters, and what ends a line elsewhere.
 */
export function isInsertable(value: string): boolean {
  return value !== '' && (ascii.test(value) || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value))
}

function onOneLine(text: string): string {
  const clean = ascii.test(text) ? text : text.replace(/[\p{Cc}\p{Cs}]/gu, ' ')
  return clean.replace(/\s+/g, ' ').trim()
}

/**
 * The offer as the scripts in completions/ read it: a line for each candidate, its value, a tab, its description; then
 * a line without a tab for each thing the shell is to do, `files` or `open`. A value with control characters is left
 * out: no escape would be read in the same way by four shells.
 */
export function formatCandidates({ candidates, offersFiles: files, isOpen: open }: CompletionResult): string {
  const lines = candidates
    .filter(({ value }) => isInsertable(value))
    .map(({ value, description }) => `${value}\t${onOneLine(description)}`)
  if (files) lines.push('files')
  if (open) lines.push('open')
  return lines.map((line) => `${line}\n`).join('')
}
