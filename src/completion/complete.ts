import { type Candidate, type CompletionResult, isInsertable, noCandidates } from './candidates.js'
import { type CommandTree, type CursorPosition, parseCommandLine } from './command-line.js'
import type { KnownRecords } from './known-records.js'
import { rankCandidates } from './ranking.js'
import { type SourceResult, sourceFor } from './sources.js'

/** What completion may look at. */
export interface CompletionContext {
  tree: CommandTree
  /** What this machine knows of the profile in force; `profile` is what `--profile` names. */
  records(profile: string | undefined): KnownRecords
}

/**
 * Returns the completions of the last word, which may be empty. Words are as a command receives them, without quotes.
 * Sends no requests and changes nothing.
 */
export async function complete(
  words: readonly string[],
  around: CompletionContext,
): Promise<CompletionResult> {
  const place = await parseCommandLine(words, around.tree)
  if (place.option || !(place.takesOption && place.typed.startsWith('-'))) return valuesAt(place, around)
  return { candidates: rankCandidates(optionsAt(place), place.typed) }
}

async function valuesAt(place: CursorPosition, around: CompletionContext): Promise<CompletionResult> {
  if (place.takesCommand && !place.option) {
    const words = place.command
      .createHelp()
      .visibleCommands(place.command)
      .map((command) => ({ value: command.name(), description: command.description() }))
    const topics = place.isHelp && place.commandPath.length === 0 ? await around.tree.topics() : []
    return { candidates: rankCandidates([...words, ...topics], place.typed) }
  }
  const { argument, option } = place
  if (!argument && !option) {
    const isFree =
      place.takesOption && !place.isHelp && place.typed === '' && place.command.commands.length === 0
    return isFree ? { candidates: optionsAt(place) } : noCandidates
  }
  const source = sourceFor(place)
  if (!source) return noCandidates
  const known = around.records(profileGiven(place))
  try {
    const offer = await source({ position: place, records: known })
    return { ...offer, candidates: offered(offer, place) }
  } finally {
    known.close()
  }
}

/** Those that fit what was typed, each as the whole word that it makes. */
function offered(
  { candidates, isList: listed, matchesInside: anywhere }: SourceResult,
  { prefix, typed, operands, option }: CursorPosition,
): Candidate[] {
  const end = listed ? typed.lastIndexOf(',') + 1 : option?.parseArg && typed.startsWith('!') ? 1 : 0
  const [before, part] = [typed.slice(0, end), typed.slice(end)]
  const taken = new Set(listed ? before.split(',') : operands)
  return rankCandidates(
    candidates.filter(({ value }) => isInsertable(value) && !taken.has(value)),
    part,
    anywhere,
  ).map(({ value, description }) => ({ value: `${prefix}${before}${value}`, description }))
}

/** The options that may follow, those that were given only where they may be repeated. */
function optionsAt({ command, options }: CursorPosition): Candidate[] {
  const given = new Set([...options].map(([option]) => option.long))
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.parseArg !== undefined || option.variadic || !given.has(option.long))
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
}

function profileGiven({ options }: CursorPosition): string | undefined {
  const [, values] = [...options].findLast(([{ long }]) => long === '--profile') ?? []
  return values?.at(-1)
}
