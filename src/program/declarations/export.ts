import { defineCommand } from '../../cli/declaration.js'
import { choice } from '../../cli/option-values.js'
import { exportFormatNames, exportFormatTitles } from '../../records/export-formats.js'
import { summaries } from '../command-list.js'
import { entryFilters } from '../options/entry-filters.js'
import { periodArgument, periodOptions } from '../options/shared-options.js'

/** `tt export`. */
export const commands = {
  export: defineCommand({
    summary: summaries.export,
    args: periodArgument('all'),
    optionGroups: {
      Filters: { ...periodOptions, ...entryFilters },
      Output: {
        '--format <format>': {
          description: 'format (see below)',
          parse: choice(exportFormatNames),
          default: 'json',
        },
        '--ndjson': 'print an entry on each line; with --jq, the expression is evaluated for each entry',
        '-o, --output <path>':
          'write to this file, or the data files of timewarrior to this directory; prompts before it replaces files',
        '--raw': 'do not escape text in CSV that looks like a formula',
      },
    },
    notes: [
      {
        title: 'Formats',
        rows: exportFormatNames.map((name) => ({ term: name, meaning: exportFormatTitles[name] })),
      },
    ],
    examples: [
      'tt export > entries.json',
      'tt export --ndjson --jq .notes',
      'tt export may --format csv -o may.csv',
      'tt export --format timewarrior -o timewarrior',
    ],
    load: () => import('../../commands/export.js'),
  }),
}
