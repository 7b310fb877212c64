/** A completion for the word at the cursor. */
export interface Candidate {
  /** The complete word as the command receives it, without shell quotes. */
  value: string
  /** A short description; may be empty. */
  description: string
  /** Additional text that the typed text is matched with. */
  label?: string
}

/** The completions at the cursor. */
export interface CompletionResult {
  candidates: Candidate[]
  /** Whether the shell completes file names too. */
  offersFiles?: boolean
  /** Whether the word continues after the value, so that no space follows. */
  isOpen?: boolean
}

export const noCandidates: CompletionResult = { candidates: [] }

/** Returns candidates without descriptions. */
export function toCandidates(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, description: '' }))
}

/** Matches printable ASCII. Such text skips the Unicode property patterns, which V8 compiles slowly. */
const ascii = /^[ -~]*$/

/** Whether a shell can insert the value: no control characters, lone surrogates or line separators. */
export function isInsertable(value: string): boolean {
  return value !== '' && (ascii.test(value) || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value))
}

function onOneLine(text: string): string {
  const clean = ascii.test(text) ? text : text.replace(/[\p{Cc}\p{Cs}]/gu, ' ')
  return clean.replace(/\s+/g, ' ').trim()
}

/**
 * Formats completions for the scripts in completions/: one line per candidate with value, tab and description, then a
 * line `files` or `open` for each flag. Omits values with control characters, which the four shells cannot all escape.
 */
export function formatCandidates({ candidates, offersFiles, isOpen }: CompletionResult): string {
  const lines = candidates
    .filter(({ value }) => isInsertable(value))
    .map(({ value, description }) => `${value}\t${onOneLine(description)}`)
  if (offersFiles) lines.push('files')
  if (isOpen) lines.push('open')
  return lines.map((line) => `${line}\n`).join('')
}
