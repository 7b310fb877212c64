import { chartKinds, dimensions } from '../../report/dimensions.js'
import { summaries } from '../command-list.js'
import { defineCommand } from '../declaration.js'
import { alternatives, entryFilters, periodOptions } from '../shared-options.js'

const [defaultChart, ...otherCharts] = chartKinds

const roundingOptions = {
  '--round <rounding>': 'round each entry: 15m (to the nearest multiple), 6m:up or 1h:down',
  '--round-total <rounding>': 'round the sums of the innermost groups instead of the entries',
  '--hours <format>': 'show durations to the second: hms (h:mm:ss), decimal (hours) or minutes',
} as const

/** `tt report` and `tt timesheet`. */
export const commands = {
  report: defineCommand({
    summary: summaries.report,
    optionGroups: {
      Period: periodOptions('entries'),
      Filters: entryFilters,
      Grouping: {
        '--by <keys>': {
          description: `group by ${alternatives(dimensions)} (comma-separated)`,
          default: 'project',
        },
        ...roundingOptions,
        '--compare <period>': 'compare with another period, such as last-week or DATE..DATE',
      },
      Checks: {
        '--gaps': 'list gaps in working hours instead of totals',
        '--git':
          'with --gaps, propose entries from your commits in the git repository of this directory, at most an hour before each commit',
        '--overlaps': 'list overlapping entries instead of totals',
        '--long': 'list entries longer than the setting entry_limit instead of totals',
        '--without-notes': 'list entries without notes instead of totals',
      },
      Output: {
        '--grid': 'show the last time unit in --by (day, week, month, quarter, year or weekday) as columns',
        '--chart [kind]': `draw a chart: ${alternatives([`${defaultChart} (default)`, ...otherCharts])}`,
        '--html <file>': 'write a self-contained HTML report (- for stdout)',
        '--pdf <file>': 'write the same report as PDF, with an installed Chromium or Chrome',
        '--entries <which>':
          'which entries the HTML or PDF report lists: all or none (default: as many as the size limit of the page allows)',
        '--groups <which>':
          'which groups the HTML or PDF report lists: all (default: as many as the size limit of the page allows)',
        '--title <text>': 'heading of the HTML or PDF report (default: "Time report")',
      },
    },
    hasFormats: true,
    examples: [
      'tt report --week --by day,project',
      'tt report --since "last month" --until "last month" --client Acme --by project,task --round 15m:up',
      'tt report --month --by project,day --grid',
      'tt report --week --by project --compare last-week',
      'tt report --week --chart',
      'tt report --since "last month" --until "last month" --client Acme --html report.html',
      'tt report --since "last month" --until "last month" --client Acme --pdf report.pdf --title "Hours for invoice 7"',
      'tt report --week --gaps --overlaps',
      'tt report --week --gaps --git',
      'tt report --month --jq .seconds',
    ],
    load: () => import('../../commands/report.js'),
  }),
  timesheet: defineCommand({
    summary: summaries.timesheet,
    optionGroups: {
      Period: periodOptions('entries'),
      Filters: entryFilters,
      Grouping: {
        '--by <keys>': {
          description: 'group by these keys of tt report; the last time unit becomes the columns',
          default: 'client,project,task,day',
        },
        ...roundingOptions,
      },
    },
    hasFormats: true,
    examples: [
      'tt timesheet',
      'tt timesheet --since "last week" --until "last week"',
      'tt timesheet --month --client Acme --markdown',
      'tt timesheet --quarter --by project,week --round 15m',
    ],
    load: () => import('../../commands/timesheet.js'),
  }),
}
