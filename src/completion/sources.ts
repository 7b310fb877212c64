import { chartKinds, dimensions, expenseDimensions } from '../report/dimensions.js'
import { type Candidate, type CompletionResult, toCandidates } from './candidates.js'
import type { CursorPosition } from './command-line.js'
import type { KnownRecords } from './known-records.js'

/** What a source may look at. */
export interface SourceRequest {
  position: CursorPosition
  /** What this machine knows of the profile in force. */
  records: KnownRecords
}

/** Candidates that are still to be held against what was typed. */
export interface SourceResult extends CompletionResult {
  /** Several may stand between commas: the last one is being typed. */
  isList?: boolean
  /** What was typed may be any part of it. */
  matchesInside?: boolean
}

export type Source = (request: SourceRequest) => Promise<SourceResult> | SourceResult

const words =
  (...values: string[]): Source =>
  () => ({ candidates: toCandidates(values) })

const listed =
  (...values: string[]): Source =>
  () => ({ candidates: toCandidates(values), isList: true, isOpen: true })

const fromKnown =
  (read: (known: KnownRecords) => Promise<Candidate[]>): Source =>
  async ({ records: known }) => ({ candidates: await read(known), matchesInside: true })

const links = fromKnown((known) => known.links())
const entries = fromKnown((known) => known.entries())
const profiles = fromKnown((known) => known.profiles())
const files: Source = () => ({ candidates: [], offersFiles: true })

const dates: Source = async () => ({ candidates: (await import('./date-words.js')).dateWords })
const times: Source = async () => ({ candidates: (await import('./date-words.js')).timeWords })
const settingNames: Source = async (request) => (await import('./setting-values.js')).settingNames(request)
const settingValues: Source = async (request) => (await import('./setting-values.js')).settingValues(request)

/** A task link; or, where several filters may be given, the name of a task. */
const task: Source = (request) =>
  request.position.option?.parseArg ? fromKnown((known) => known.names('tasks'))(request) : links(request)

/**
 * Where values come from, by the placeholder in the declaration: `<task>`, `[entry]`. Where that does not say enough,
 * by the flag, or by the words of the command before either.
 */
const sources: Readonly<Record<string, Source>> = {
  task,
  project: fromKnown((known) => known.names('projects')),
  client: fromKnown((known) => known.names('clients')),
  type: fromKnown((known) => known.names('types')),
  entry: entries,
  date: dates,
  time: times,
  duration: words('15m', '30m', '45m', '1h', '1h30m', '2h', '4h', '8h'),
  rounding: words('15m', '15m:up', '15m:down', '6m', '6m:up', '30m', '1h'),
  tag: fromKnown((known) => known.tags()),
  file: files,
  shell: words('bash', 'zsh', 'fish', 'powershell'),
  method: words('GET', 'POST', 'PATCH', 'DELETE'),
  '--notes': fromKnown((known) => known.notes()),
  '--profile': profiles,
  '--database': () => ({ candidates: toCandidates(['sqlite:', 'postgres://']), isOpen: true }),
  '--chart': words(...chartKinds),
  'report --by': listed(...dimensions),
  'expenses report --by': listed(...expenseDimensions),
  'expenses edit id': fromKnown((known) => known.expenses()),
  'expenses rm id': fromKnown((known) => known.expenses()),
  'sync retry id': fromKnown((known) => known.changes()),
  'sync discard id': fromKnown((known) => known.changes()),
  'profiles use name': profiles,
  'profiles rm name': profiles,
  'config get name': settingNames,
  'config set name': settingNames,
  'config unset name': settingNames,
  'config set value': settingValues,
}

/** Returns the source of the values at the cursor; undefined if there is none. */
export function sourceFor({ option, argument, commandPath: path }: CursorPosition): Source | undefined {
  const terms = option ? [option.long, placeholderOf(option.flags)] : [argument?.name()]
  for (const term of terms) {
    if (term === undefined) continue
    const source = sources[[...path, term].join(' ')] ?? sources[term]
    if (source) return source
  }
  return undefined
}

/** `<date>` of `--since <date>`, without what is around it. */
function placeholderOf(flags: string): string | undefined {
  return /[<[](.+?)(?:\.\.\.)?[\]>]$/.exec(flags)?.[1]
}
