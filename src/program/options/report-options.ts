import { formatOptions } from '../../cli/common-options.js'
import { choice, groups, period, rounding } from '../../cli/option-values.js'
import { exactFormats } from '../../lib/calendar/duration-display.js'
import { alternatives } from '../../lib/text/words.js'
import { chartKinds, type Dimension, entryLists, shownTimes } from '../../records/report-names.js'
import { fileExtensions } from '../../ui/formats/formats.js'
import { outputOption } from './shared-options.js'

const [defaultChart, ...otherCharts] = chartKinds

/** How reports of time round and show durations. */
export const roundingOptions = {
  '--round <rounding>': {
    description: 'round each entry: 15m (nearest), 6m:up or 1h:down; none ignores the settings round.PATTERN',
    parse: rounding,
  },
  '--round-total <rounding>': {
    description: 'round the sums of groups instead',
    parse: rounding,
    conflicts: ['--round'],
  },
  '--hours <format>': {
    description: 'exact durations: hms (h:mm:ss), decimal or minutes',
    parse: choice(exactFormats),
  },
} as const

/** Returns the options for the groups of a report. */
export function groupingOptions(known: readonly Dimension[], byDefault: string) {
  return {
    '--by <keys>': {
      description: `group by ${alternatives(known)} (comma-separated)`,
      parse: groups(known),
      default: byDefault,
    },
    ...roundingOptions,
    '--compare <period>': {
      description: 'compare with a period',
      parse: period,
      conflicts: ['--chart', '--grid'],
    },
  } as const
}

/** The options of tables, which other forms of a report do not have. */
const tableOptions = ['--json', ...Object.keys(formatOptions).map((flags) => flags.replace(/ .*/, ''))]

const ofPage = { needs: '--html or -o FILE.pdf' } as const

/** The forms of a report. */
export const reportOutputs = {
  '--grid': 'show the last time unit of --by as columns',
  '--chart [kind]': {
    description: `draw a chart: ${alternatives([`${defaultChart} (default)`, ...otherCharts])}`,
    parse: choice(chartKinds),
    conflicts: ['--grid', '--html', ...tableOptions],
    conflictNames: '--grid or a format',
  },
  '--html': {
    description: 'print a self-contained page',
    conflicts: tableOptions,
    conflictNames: 'a format',
  },
  ...outputOption(fileExtensions.report),
  '--entries <which>': {
    description: 'list all entries or none',
    parse: choice(entryLists),
    ...ofPage,
  },
  '--show <time>': {
    description: 'billed time (rounded; default with --client) or exact time (both)',
    parse: choice(shownTimes),
    ...ofPage,
  },
  '--title <text>': { description: 'heading of the page', ...ofPage },
} as const
