import { alternatives } from '../../lib/text/list-text.js'
import { chartKinds } from '../../report/dimensions.js'
import { fileExtensions } from '../../ui/formats/formats.js'
import { outputOption } from './shared-options.js'

const [defaultChart, ...otherCharts] = chartKinds

/** How reports of time round and show durations. */
export const roundingOptions = {
  '--round <rounding>':
    'round each entry: 15m (nearest), 6m:up or 1h:down; none ignores the settings round.PATTERN',
  '--round-total <rounding>': 'round the sums of groups instead of the entries',
  '--hours <format>': 'exact durations: hms (h:mm:ss), decimal or minutes',
} as const

/** Returns the options for the groups of a report. */
export function groupingOptions<const Default extends string>(known: readonly string[], byDefault: Default) {
  return {
    '--by <keys>': { description: `group by ${alternatives(known)} (comma-separated)`, default: byDefault },
    ...roundingOptions,
    '--compare <period>': 'compare with another period, such as last-week',
  } as const
}

/** The forms of a report. */
export const reportOutputs = {
  '--grid': 'show the last time unit of --by as columns',
  '--chart [kind]': `draw a chart: ${alternatives([`${defaultChart} (default)`, ...otherCharts])}`,
  '--html': 'print a self-contained HTML page',
  ...outputOption(fileExtensions.report),
  '--entries <which>': 'entries that the HTML or PDF page lists: all or none',
  '--show <time>':
    'time on the page: billed (rounded, without times of day; default with --client and rounding) or exact (both)',
  '--title <text>': 'heading of the HTML or PDF page',
} as const
