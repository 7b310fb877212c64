import type { Command } from 'commander'
import { chartKinds, dimensions } from '../../report/dimensions.js'
import { summaries } from '../command-list.js'
import { type LazyAction, listCommand } from '../lazy-commands.js'
import { alternatives, examples, withEntryFilters, withPeriod } from '../shared-options.js'

const [defaultChart, ...otherCharts] = chartKinds

/** Declares `tt report` and `tt timesheet`. */
export function declareReports(program: Command, lazyAction: LazyAction) {
  listCommand(program, 'report', summaries.report, (command) =>
    withRounding(
      withEntryFilters(withPeriod(command, 'entries'))
        .optionsGroup('Grouping:')
        .option('--by <keys>', `group by ${alternatives(dimensions)} (comma-separated)`, 'project'),
    )
      .option('--compare <period>', 'compare with another period, such as last-week or DATE..DATE')
      .optionsGroup('Checks:')
      .option('--gaps', 'list gaps in working hours instead of totals')
      .option('--overlaps', 'list overlapping entries instead of totals')
      .option('--long', 'list entries longer than the setting entry_limit instead of totals')
      .option('--without-notes', 'list entries without notes instead of totals')
      .optionsGroup('Output:')
      .option(
        '--grid',
        'show the last time unit in --by (day, week, month, quarter, year or weekday) as columns',
      )
      .option(
        '--chart [kind]',
        `draw a chart: ${alternatives([`${defaultChart} (default)`, ...otherCharts])}`,
      )
      .option('--html <file>', 'write a self-contained HTML report (- for stdout)')
      .option('--pdf <file>', 'write the same report as PDF, with an installed Chromium or Chrome')
      .option(
        '--entries <which>',
        'which entries the HTML or PDF report lists: all or none (default: as many as the size limit of the page allows)',
      )
      .option(
        '--groups <which>',
        'which groups the HTML or PDF report lists: all (default: as many as the size limit of the page allows)',
      )
      .option('--title <text>', 'heading of the HTML or PDF report (default: "Time report")')
      .addHelpText(
        'after',
        examples(
          'tt report --week --by day,project',
          'tt report --since "last month" --until "last month" --client Acme --by project,task --round 15m:up',
          'tt report --month --by project,day --grid',
          'tt report --week --by project --compare last-week',
          'tt report --week --chart',
          'tt report --since "last month" --until "last month" --client Acme --html report.html',
          'tt report --since "last month" --until "last month" --client Acme --pdf report.pdf --title "Hours for invoice 7"',
          'tt report --week --gaps --overlaps',
          'tt report --month --json | jq .seconds',
        ),
      )
      .action(lazyAction(() => import('../../commands/report.js'))),
  )
  listCommand(program, 'timesheet', summaries.timesheet, (command) =>
    withRounding(
      withEntryFilters(withPeriod(command, 'entries'))
        .optionsGroup('Grouping:')
        .option(
          '--by <keys>',
          'group by these keys of tt report; the last time unit becomes the columns',
          'client,project,task,day',
        ),
    )
      .addHelpText(
        'after',
        examples(
          'tt timesheet',
          'tt timesheet --since "last week" --until "last week"',
          'tt timesheet --month --client Acme --markdown',
          'tt timesheet --quarter --by project,week --round 15m',
        ),
      )
      .action(lazyAction(() => import('../../commands/timesheet.js'))),
  )
}

function withRounding(command: Command): Command {
  return command
    .option('--round <rounding>', 'round each entry: 15m (to the nearest multiple), 6m:up or 1h:down')
    .option('--round-total <rounding>', 'round the sums of the innermost groups instead of the entries')
    .option('--hours <format>', 'show durations to the second: hms (h:mm:ss), decimal (hours) or minutes')
}
