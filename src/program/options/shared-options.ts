import type { Input, OptionValues } from '../../cli/input.js'
import { conditions, firstDay, lastDay, periodOr } from '../../cli/option-values.js'
import { alternatives } from '../../lib/text/words.js'
import type { FileExtension } from '../../ui/formats/formats.js'

/** Returns the option for a file in the format of its extension. */
export function outputOption(extensions: readonly FileExtension[]) {
  return {
    '-o, --output <file>': `write to a file: ${alternatives(extensions)}`,
  } as const
}

/** Returns the argument for a period; `periodOf` of src/commands/shared/options/period-options.ts chooses the days. */
export function periodArgument(byDefault: string, examples = 'last week, may or 7d') {
  return {
    '[period...]': {
      description: `such as ${examples} (default: ${byDefault})`,
      parse: periodOr(byDefault),
    },
  } as const
}

/** The options for the first and the last day. */
export const dayOptions = {
  '--since <date>': { description: 'since this date, such as monday', parse: firstDay },
  '--until <date>': { description: 'up to and including this date', parse: lastDay },
} as const

const notWithPeriod = { conflicts: ['[period...]'], conflictNames: 'a period' } as const

/** The options for the first and the last day of a command that takes a period. */
export const periodOptions = {
  '--since <date>': { ...dayOptions['--since <date>'], ...notWithPeriod },
  '--until <date>': { ...dayOptions['--until <date>'], ...notWithPeriod },
} as const

/** The argument and the options that select a period. */
export type PeriodInput = Input<{
  args: ReturnType<typeof periodArgument>
  options: typeof dayOptions
}>
export type DayOptions = PeriodInput['options']

export const whereOption = {
  '--where <condition>': {
    ...repeatable('filter by any field: FIELD_eq=VALUE, also _gteq, _lt and _cont'),
    parse: conditions,
  },
} as const

export const cachedOption = {
  '--cached': 'use local data; do not connect to the service',
} as const

/** Returns the option for a list of entries, instead of the argument that names one. */
export function pickOption<const Term extends string>(term: Term) {
  return { '--pick': { description: 'pick from a list of recent entries', conflicts: [term] } } as const
}

export const databaseOption = {
  '--database <location>':
    'database: sqlite:PATH or postgres://… (default: TT_DATABASE, or the local workspace)',
  '--config <file>': 'JSON file with options of `tt serve` (default: TT_CONFIG)',
} as const

export type DatabaseOptions = OptionValues<typeof databaseOption>

/** Describes a repeatable filter by name, with values to include or to exclude. */
export function nameFilter(description: string) {
  return { description, repeatable: true, canExclude: true } as const
}

/** Describes an option that may be given several times. */
export function repeatable(description: string) {
  return { description, repeatable: true } as const
}
