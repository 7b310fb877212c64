import { type Aliases, expandAlias } from '../../config/aliases.js'
import type { Candidate } from './candidates.js'

/** Returns the names of aliases, each described by its expansion. */
export function aliasCandidates(aliases: Aliases): Candidate[] {
  return Object.entries(aliases).map(([value, description]) => ({ value, description }))
}

/**
 * Returns the command line for which an alias at its beginning stands, up to the word at the cursor, which is the last one.
 * A word at a placeholder is completed there; a shell alias has no completion. Other lines are returned unchanged.
 *
 * Throws TtError `usage` like `expandAlias`.
 */
export function expandTypedAlias(
  words: readonly string[],
  aliases: Aliases,
  isCommand: (name: string) => boolean,
): readonly string[] | undefined {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before.length === 0) return words
  // No typed word contains these characters: they mark the word at the cursor, and the placeholders after it.
  const [cursor, missing] = ['\u0000', '\u0001']
  const line = [...before, cursor, ...Array.from({ length: 9 }, () => missing)]
  const expansion = expandAlias(line, aliases, isCommand)
  if (!expansion) return words
  if (expansion.kind === 'shell') return undefined
  const end = expansion.words.findIndex((word) => word.includes(cursor))
  const atCursor = expansion.words[end] ?? ''
  return [...expansion.words.slice(0, end), atCursor.slice(0, atCursor.indexOf(cursor)) + typed]
}
