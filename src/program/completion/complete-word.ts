import { aliasCandidates, expandTypedAlias } from './aliases.js'
import { type Candidate, type CompletionResult, isInsertable, noCandidates } from './candidates.js'
import { type CommandTree, type CursorPosition, parseCommandLine } from './command-line.js'
import type { KnownRecords } from './known-records.js'
import { type SourceResult, sourceFor } from './sources.js'

/** The sources of completion. */
export interface CompletionContext {
  tree: CommandTree
  /** Returns the local records of a profile, by the value of `--profile`; otherwise of the selected profile. */
  records(profile: string | undefined): KnownRecords
}

/**
 * Returns the completions of the last word, which may be empty. The words are without shell quotes. Sends no requests and
 * changes nothing.
 */
export async function completeWord(
  words: readonly string[],
  context: CompletionContext,
): Promise<CompletionResult> {
  const { tree } = context
  const [first = ''] = words
  const hasAlias = words.length > 1 && !first.startsWith('-') && !tree.isCommand(first)
  const aliases = hasAlias ? context.records(undefined).aliases() : {}
  const line = expandTypedAlias(words, aliases, (name) => tree.isCommand(name))
  if (!line) return noCandidates
  const position = await parseCommandLine(line, tree)
  if (position.option || !(position.takesOption && position.typed.startsWith('-')))
    return valuesAt(position, context)
  return { candidates: rankCandidates(optionsAt(position), position.typed) }
}

/** The schemas of `tt schema` that are not those of commands. */
const otherSchemas = [
  { value: 'error', description: 'the object on standard error' },
  { value: 'hook', description: 'the standard input of hooks' },
  { value: 'template', description: 'the words of --template' },
]

async function valuesAt(position: CursorPosition, context: CompletionContext): Promise<CompletionResult> {
  if (position.takesCommand && !position.option) {
    const commands = position.command
      .createHelp()
      .visibleCommands(position.command)
      .map((command) => ({ value: command.name(), description: command.summary() || command.description() }))
    const isFirst = position.commandPath.length === 0
    // `tt schema` takes commands only.
    const aliases = isFirst && position.isHelp === position.takesTopic ? usableAliases(context) : []
    const topics = isFirst && position.takesTopic ? await context.tree.topics() : []
    const schemas = isFirst && position.isHelp && !position.takesTopic ? otherSchemas : []
    const candidates = rankCandidates([...commands, ...aliases, ...topics, ...schemas], position.typed)
    const values = position.isHelp ? noCandidates : await defaultValuesAt(position, context)
    return { candidates: [...candidates, ...values.candidates] }
  }
  const { argument, option } = position
  if (!argument && !option) {
    const isFree =
      position.takesOption &&
      !position.isHelp &&
      position.typed === '' &&
      position.command.commands.length === 0
    return isFree ? { candidates: optionsAt(position) } : noCandidates
  }
  const source = sourceFor(position)
  if (!source) return noCandidates
  const records = context.records(profileOf(position))
  try {
    const result = await source({ position, records })
    return { ...result, candidates: matchingCandidates(result, position) }
  } finally {
    records.close()
  }
}

/** Returns the values of the first argument of the default command, such as the client of `tt invoice`; not those of a period. */
async function defaultValuesAt(
  position: CursorPosition,
  context: CompletionContext,
): Promise<CompletionResult> {
  const [argument] = position.command.defaultCommand?.build().registeredArguments ?? []
  if (!argument || argument.name() === 'period') return noCandidates
  return valuesAt({ ...position, argument, takesCommand: false }, context)
}

/** Returns the candidates that match the typed text, each as a complete word. */
function matchingCandidates(
  { candidates, isList, matchesInside }: SourceResult,
  { prefix, typed, operands, option }: CursorPosition,
): Candidate[] {
  const end = isList ? typed.lastIndexOf(',') + 1 : option?.parseArg && typed.startsWith('!') ? 1 : 0
  const [before, part] = [typed.slice(0, end), typed.slice(end)]
  const used = new Set(isList ? before.split(',') : operands)
  return rankCandidates(
    candidates.filter(({ value }) => isInsertable(value) && !used.has(value)),
    part,
    matchesInside,
  ).map(({ value, description }) => ({ value: `${prefix}${before}${value}`, description }))
}

/** Returns the options that are possible at the cursor: those before it only if they are repeatable. */
function optionsAt({ command, options }: CursorPosition): Candidate[] {
  const used = new Set([...options].map(([option]) => option.long))
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.parseArg !== undefined || option.variadic || !used.has(option.long))
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
}

function profileOf({ options }: CursorPosition): string | undefined {
  const [, values] = [...options].findLast(([{ long }]) => long === '--profile') ?? []
  return values?.at(-1)
}

/** Returns the aliases that no command replaces; none if they cannot be read: commands can still be completed. */
function usableAliases({ tree, records }: CompletionContext): Candidate[] {
  try {
    return aliasCandidates(records(undefined).aliases()).filter(({ value }) => !tree.isCommand(value))
  } catch {
    return []
  }
}

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
