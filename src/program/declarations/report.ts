import type { Command } from 'commander'
import { examples, type LazyAction, listCommand, withEntryFilters, withPeriod } from '../lazy-commands.js'

/** `tt report`. */
export function declareReport(program: Command, lazily: LazyAction) {
  listCommand(program, 'report', 'sum up entries (default: the last 7 days)', (command) =>
    withEntryFilters(withPeriod(command))
      .option(
        '--by <words>',
        'group by day, week, month, quarter, year, weekday, client, project, task or notes (comma-separated)',
        'project',
      )
      .option('--round <duration[:direction]>', 'round each entry, such as 15m, 6m:up, 1h:down')
      .option(
        '--round-total <duration[:direction]>',
        'round the sums of the innermost groups instead of the entries',
      )
      .option('--chart [kind]', 'draw a chart: bars (default), heat or shares')
      .option('--html <file>', 'write a self-contained HTML report (- for stdout)')
      .option('--gaps', 'list gaps in working hours instead of totals')
      .option('--overlaps', 'list overlapping entries instead of totals')
      .option('--long', 'list entries longer than the setting entry_limit instead of totals')
      .option('--without-notes', 'list entries without notes instead of totals')
      .addHelpText(
        'after',
        examples(
          'tt report --week --by day,project',
          'tt report --since "last month" --client Acme --by project,task --round 15m:up',
          'tt report --week --chart',
          'tt report --since "last month" --client Acme --html report.html',
          'tt report --week --gaps --overlaps',
          'tt report --month --json | jq .seconds',
        ),
      )
      .action(lazily(() => import('../../commands/report.js'))),
  )
}
