import type { Command } from 'commander'
import { exportFormatNames, exportFormatTitles } from '../../export/format-names.js'
import { summaries } from '../command-list.js'
import { command, type LazyAction } from '../lazy-commands.js'
import { examples, withEntryFilters, withPeriod } from '../shared-options.js'

/** Declares `tt export`. */
export function declareExport(program: Command, lazyAction: LazyAction) {
  command(program, 'export', summaries.export, (command) =>
    withEntryFilters(withPeriod(command, 'entries'))
      .optionsGroup('Output:')
      .option('--format <format>', 'format (see below)', 'json')
      .option('--output <path>', 'write to this file instead of stdout')
      .option('--raw', 'do not escape text in CSV that looks like a formula')
      .addHelpText('after', `\nFormats:\n${formatList()}`)
      .addHelpText(
        'after',
        examples('tt export > entries.json', 'tt export --month --format csv --output may.csv'),
      )
      .action(lazyAction(() => import('../../commands/export.js'))),
  )
}

function formatList(): string {
  const width = Math.max(...exportFormatNames.map((name) => name.length))
  return exportFormatNames.map((name) => `  ${name.padEnd(width)}  ${exportFormatTitles[name]}`).join('\n')
}
