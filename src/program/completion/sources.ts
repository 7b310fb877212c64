import type { Choices } from '../../cli/option-values.js'
import { aliasCandidates } from './aliases.js'
import { type Candidate, type CompletionResult, toCandidates } from './candidates.js'
import type { CursorPosition } from './command-line.js'
import type { KnownRecords } from './known-records.js'

/** The input of a source. */
export interface SourceRequest {
  position: CursorPosition
  /** The local records of the selected profile. */
  records: KnownRecords
}

/** Candidates that have not been matched with the typed text. */
export interface SourceResult extends CompletionResult {
  /** Whether the value is a list, separated by commas. Only its last part is completed. */
  isList?: boolean
  /** Whether the typed text may match inside a candidate, not only at its beginning. */
  matchesInside?: boolean
}

type Source = (request: SourceRequest) => Promise<SourceResult> | SourceResult

const oneOf =
  (...values: string[]): Source =>
  () => ({ candidates: toCandidates(values) })

/** Completes the fields of `start=From,end=Until`; the names of the columns are in a file. */
const columns: Source = async () => {
  const { csvFields } = await import('../../import-export/import/csv/csv-fields.js')
  return { candidates: toCandidates(csvFields.map((field) => `${field}=`)), isList: true, isOpen: true }
}

const fromRecords =
  (read: (records: KnownRecords) => Promise<Candidate[]>): Source =>
  async ({ records }) => ({ candidates: await read(records), matchesInside: true })

const links = fromRecords((records) => records.links())
const entries = fromRecords((records) => records.entries())
const profiles = fromRecords((records) => records.profiles())
const files: Source = () => ({ candidates: [], offersFiles: true })

const dates: Source = async () => ({ candidates: (await import('./date-words.js')).dateWords })
/** Completes the words of a period: the first one, or those after `last` or `next`. */
const periods: Source = async ({ position: { operands, option } }) => {
  const { followingWords, periodWords } = await import('./date-words.js')
  if (option || operands.length === 0) return { candidates: periodWords }
  return { candidates: followingWords[operands.join()] ?? [] }
}
const times: Source = async () => ({ candidates: (await import('./date-words.js')).timeWords })
const starts: Source = async () => ({ candidates: (await import('./date-words.js')).startWords() })
const settingNames: Source = async (request) =>
  (await import('./setting-candidates.js')).settingNames(request)
const settingValues: Source = async (request) =>
  (await import('./setting-candidates.js')).settingValues(request)

/** Completes tasks; task names for the repeatable filter option. */
const task: Source = (request) =>
  request.position.option?.parseArg
    ? fromRecords((records) => records.names('tasks'))(request)
    : links(request)

/**
 * The source of each kind of value that is no list of words in a declaration, by its placeholder in the declaration (`<task>`, `[entry]`) or its option; preceded by
 * the name of the command if only that command has it.
 */
const sources: Readonly<Record<string, Source>> = {
  task,
  project: fromRecords((records) => records.names('projects')),
  client: fromRecords((records) => records.names('clients')),
  type: fromRecords((records) => records.names('types')),
  entry: entries,
  date: dates,
  time: times,
  'start --at': starts,
  'continue --at': starts,
  'add --from': starts,
  'add times': oneOf('15m', '30m', '1h', '2h', '9:00-12:00', '13:00-17:00'),
  duration: oneOf('15m', '30m', '45m', '1h', '1h30m', '2h', '4h', '8h'),
  rounding: oneOf('15m', '15m:up', '15m:down', '6m', '6m:up', '30m', '1h'),
  tag: fromRecords((records) => records.tags()),
  file: files,
  '--notes': fromRecords((records) => records.notes()),
  '--profile': profiles,
  '--database': () => ({ candidates: toCandidates(['sqlite:', 'postgres://']), isOpen: true }),
  period: periods,
  'import --columns': columns,
  'export --output': files,
  'invoice show number': fromRecords((records) => records.invoices()),
  'invoice open number': fromRecords((records) => records.invoices()),
  'invoice void number': fromRecords((records) => records.invoices()),
  'expenses edit id': fromRecords((records) => records.expenses()),
  'expenses rm id': fromRecords((records) => records.expenses()),
  ...Object.fromEntries(
    (['projects', 'clients'] as const).flatMap((kind) =>
      ['from', 'into'].map((term) => [
        `${kind} merge ${term}`,
        fromRecords((records) => records.names(kind)),
      ]),
    ),
  ),
  'tasks merge from': links,
  'tasks merge into': links,
  'sync retry id': fromRecords((records) => records.changes()),
  'sync discard id': fromRecords((records) => records.changes()),
  'alias rm name': ({ records }) => ({ candidates: aliasCandidates(records.aliases()) }),
  'profiles use name': profiles,
  'profiles rm name': profiles,
  'config get name': settingNames,
  'config set name': settingNames,
  'config unset name': settingNames,
  'config set value': settingValues,
}

/** Returns the source of the values at the cursor; undefined if there is none. */
export function sourceFor({ option, argument, commandPath: path }: CursorPosition): Source | undefined {
  const choices = choicesOf(option ?? argument)
  if (choices) return () => choices
  const terms = option ? [option.long, placeholderOf(option.flags)] : [argument?.name()]
  for (const term of terms) {
    if (term === undefined) continue
    const source = sources[[...path, term].join(' ')] ?? sources[term]
    if (source) return source
  }
  return undefined
}

/** Returns the words that the declaration of an option or argument lists; undefined without a list. */
function choicesOf(declared: object = {}): SourceResult | undefined {
  const { choices, isList = false } = (declared as { values?: Partial<Choices> }).values ?? {}
  return choices && { candidates: toCandidates(choices), isList, isOpen: isList }
}

/** Returns `date` for `--since <date>`. */
function placeholderOf(flags: string): string | undefined {
  return /[<[](.+?)(?:\.\.\.)?[\]>]$/.exec(flags)?.[1]
}
