import { formatDescriptions } from '../ui/formats/formats.js'

/** The output formats of commands that print records, except `--json`, which every command has. */
export const formatOptions = {
  '--ndjson': `print ${formatDescriptions.ndjson}`,
  '--csv': `print ${formatDescriptions.csv}`,
  '--markdown': `print ${formatDescriptions.markdown}`,
  '--fields <keys>': 'print only these JSON keys, in this order (comma-separated)',
  '--raw': 'with --csv, do not escape text that looks like a formula',
} as const

/** Returns the period options, which `requestedRange` of src/commands/shared/period-options.ts reads. */
export function periodOptions(records: 'entries' | 'expenses') {
  return {
    '--since <date>': `only ${records} since this date, such as monday or -7d`,
    '--until <date>': `only ${records} up to and including this date`,
    '--today': `only ${records} from today`,
    '--yesterday': `only ${records} from yesterday`,
    '--week': `only ${records} from this week`,
    '--month': `only ${records} from this month`,
    '--quarter': `only ${records} from this quarter`,
    '--year': `only ${records} from this year`,
  } as const
}

export const whereOption = {
  '--where <condition>': repeatable(
    'filter by any field: FIELD_eq=VALUE, FIELD_gteq=VALUE (at least), FIELD_lt=VALUE (less than) or FIELD_cont=VALUE (contains) (repeatable)',
  ),
} as const

/** The filters of entries, in the order of the help. */
export const entryFilters = {
  '--project <project>': nameFilter('filter by project name or ID'),
  '--client <client>': nameFilter('filter by client name or ID'),
  '--task <task>': nameFilter('filter by task name or ID'),
  '--notes <text>': nameFilter('filter by text in the notes'),
  '--tag <tag>': nameFilter('filter by #tag in the notes'),
  '--running': 'only running entries',
  '--pending': 'only entries not yet synced',
  '--billable': 'only billable entries',
  '--not-billable': 'only non-billable entries',
  ...whereOption,
} as const

/** The filters of expenses, in the order of the help. */
export const expenseFilters = {
  '--type <type>': nameFilter('filter by expense type name or ID'),
  '--project <project>': nameFilter('filter by project name or ID'),
  ...whereOption,
} as const

export const databaseOption = {
  '--database <location>': 'database: sqlite:PATH or postgres://… (default: the local workspace)',
} as const

function nameFilter(description: string) {
  return repeatable(`${description} (repeatable; prefix with ! to exclude)`)
}

/** Describes an option that may be given several times. */
export function repeatable(description: string) {
  return { description, repeatable: true } as const
}

/** Returns "a, b or c". */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
