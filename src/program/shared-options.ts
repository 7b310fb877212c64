import { type Command, Option } from 'commander'
import { entryFilterFlags } from '../cli/filter-flags.js'
import type { EntryFilterOptions, ExpenseFilterOptions } from '../commands/shared/parse-options.js'
import { formatDescriptions } from '../ui/formats/formats.js'
import { commonOptions, commonTitle } from './common-options.js'

/** Adds the options of every command, in a group of their own. */
export function withCommon(command: Command): Command {
  command.optionsGroup(commonTitle)
  for (const [flags, description] of commonOptions) {
    // `tt api -q` is short for --query.
    const isTaken = flags === '-q, --quiet' && command.name() === 'api'
    command.option(isTaken ? '--quiet' : flags, description)
  }
  return command
}

/** Adds the output formats of a command that prints records. */
export function withFormats(command: Command): Command {
  command.optionsGroup('Output:')
  for (const [name, description] of Object.entries(formatDescriptions)) {
    command.option(`--${name}`, `print ${description}`)
  }
  return command
    .option('--fields <keys>', 'print only these JSON keys, in this order (comma-separated)')
    .option('--raw', 'with --csv, do not escape text that looks like a formula')
}

/** Adds the period options, which `requestedRange` of src/commands/shared/period-options.ts reads. */
export function withPeriod(command: Command, records: 'entries' | 'expenses'): Command {
  return command
    .optionsGroup('Period:')
    .option('--since <date>', `only ${records} since this date, such as monday or -7d`)
    .option('--until <date>', `only ${records} up to and including this date`)
    .option('--today', `only ${records} from today`)
    .option('--yesterday', `only ${records} from yesterday`)
    .option('--week', `only ${records} from this week`)
    .option('--month', `only ${records} from this month`)
    .option('--quarter', `only ${records} from this quarter`)
    .option('--year', `only ${records} from this year`)
}

const repeatableNote = 'repeatable; prefix with ! to exclude'

const nameFilter = (flag: string, value: string, description: string) =>
  new Option(`${flag} <${value}>`, `${description} (${repeatableNote})`).argParser(collect)

/** The filters of entries, in the order of the help. A filter that is missing here does not compile. */
const entryFilters: Readonly<Record<keyof EntryFilterOptions, () => Option>> = {
  project: () => nameFilter(entryFilterFlags.project, 'project', 'filter by project name or ID'),
  client: () => nameFilter(entryFilterFlags.client, 'client', 'filter by client name or ID'),
  task: () => nameFilter(entryFilterFlags.task, 'task', 'filter by task name or ID'),
  notes: () => nameFilter(entryFilterFlags.notes, 'text', 'filter by text in the notes'),
  tag: () => nameFilter(entryFilterFlags.tag, 'tag', 'filter by #tag in the notes'),
  running: () => new Option(entryFilterFlags.running, 'only running entries'),
  pending: () => new Option(entryFilterFlags.pending, 'only entries not yet synced'),
  billable: () => new Option(entryFilterFlags.billable, 'only billable entries'),
  notBillable: () => new Option(entryFilterFlags.notBillable, 'only non-billable entries'),
  where: () => whereOption(),
}

/** The filters of expenses, in the order of the help. A filter that is missing here does not compile. */
const expenseFilters: Readonly<Record<keyof ExpenseFilterOptions, () => Option>> = {
  type: () => nameFilter('--type', 'type', 'filter by expense type name or ID'),
  project: () => nameFilter('--project', 'project', 'filter by project name or ID'),
  where: () => whereOption(),
}

/** Adds the filters of entries. */
export function withEntryFilters(command: Command): Command {
  command.optionsGroup('Filters:')
  for (const option of Object.values(entryFilters)) command.addOption(option())
  return command
}

/** Adds the filters of expenses. */
export function withExpenseFilters(command: Command): Command {
  command.optionsGroup('Filters:')
  for (const option of Object.values(expenseFilters)) command.addOption(option())
  return command
}

export const whereOption = () =>
  new Option(
    '--where <condition>',
    'filter by any field: FIELD_eq=VALUE, FIELD_gteq=VALUE (at least), FIELD_lt=VALUE (less than) or FIELD_cont=VALUE (contains) (repeatable)',
  )
    .argParser(collect)
    .helpGroup('Filters:')

export const databaseOption = () =>
  new Option('--database <location>', 'database: sqlite:PATH or postgres://… (default: the local workspace)')

/** Appends a value of a repeatable option to the earlier ones. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Returns "a, b or c". */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** Returns the examples at the end of a help text. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}
