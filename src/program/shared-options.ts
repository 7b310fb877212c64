import { type Command, Option } from 'commander'
import { commonOptions, commonTitle } from './common-options.js'

/** Adds the options of every command, in a group of their own. */
export function withCommon(command: Command): Command {
  command.optionsGroup(commonTitle)
  for (const [flags, description] of commonOptions) {
    // `tt api -q` is a query.
    const isTaken = flags === '-q, --quiet' && command.name() === 'api'
    command.option(isTaken ? '--quiet' : flags, description)
  }
  return command
}

/** Adds the output formats of a command that prints records. */
export function withFormats(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--ndjson', 'print one JSON value per line')
    .option('--csv', 'print CSV (RFC 4180) with a header')
    .option('--markdown', 'print a Markdown table')
    .option('--fields <keys>', 'print only these JSON keys, in this order (comma-separated)')
}

/** Adds the period options, which `requestedRange` of src/commands/shared/period.ts reads. */
export function withPeriod(command: Command, records: 'entries' | 'expenses'): Command {
  return command
    .optionsGroup('Period:')
    .option('--since <date>', `only ${records} since this date, such as monday or -7d`)
    .option('--until <date>', `only ${records} up to and including this date`)
    .option('--today', `only ${records} of today`)
    .option('--yesterday', `only ${records} of yesterday`)
    .option('--week', `only ${records} of this week`)
    .option('--month', `only ${records} of this month`)
    .option('--quarter', `only ${records} of this quarter`)
    .option('--year', `only ${records} of this year`)
}

const repeatable = 'repeatable; prefix with ! to exclude'

/** Adds the filters of entries, which `entryFilter` of src/entries/entry-filter.ts reads, and `--where`. */
export function withEntryFilters(command: Command): Command {
  return command
    .optionsGroup('Filters:')
    .option('--project <project>', `filter by project name or ID (${repeatable})`, collect)
    .option('--client <client>', `filter by client name or ID (${repeatable})`, collect)
    .option('--task <task>', `filter by task name or ID (${repeatable})`, collect)
    .option('--notes <text>', `filter by text in the notes (${repeatable})`, collect)
    .option('--running', 'only running entries')
    .option('--pending', 'only entries not yet synced')
    .option('--billable', 'only billable entries')
    .option('--not-billable', 'only non-billable entries')
    .addOption(whereOption())
}

/** Adds the filters of expenses. */
export function withExpenseFilters(command: Command): Command {
  return command
    .optionsGroup('Filters:')
    .option('--type <type>', `filter by expense type name or ID (${repeatable})`, collect)
    .option('--project <project>', `filter by project name or ID (${repeatable})`, collect)
    .addOption(whereOption())
}

export const whereOption = () =>
  new Option(
    '--where <condition>',
    'filter by any field with _eq, _gteq, _lt or _cont, such as notes_cont=review (repeatable)',
  )
    .argParser(collect)
    .helpGroup('Filters:')

export const databaseOption = () =>
  new Option('--database <location>', 'sqlite:PATH or postgres://… (default: the local workspace)')

/** Appends a value of a repeatable option to the earlier ones. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Returns the examples at the end of a help text. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}
