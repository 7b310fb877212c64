import type { Command } from 'commander'
import { examples, type Lazily, list, withEntryFilters, withPeriod } from './declaring.js'

/** `tt report`. */
export function declareReport(program: Command, lazily: Lazily) {
  list(program, 'report', 'sum up entries; by default those of the last 7 days', (command) =>
    withEntryFilters(withPeriod(command))
      .option(
        '--by <words>',
        'group by day, week, month, quarter, year, weekday, client, project, task or notes; several between commas',
        'project',
      )
      .option('--round <duration[:direction]>', 'round each entry: 15m, 6m:up, 1h:down')
      .option('--round-total <duration[:direction]>', 'round the sums of the innermost groups instead')
      .addHelpText(
        'after',
        examples(
          'tt report --week --by day,project',
          'tt report --since "last month" --client Acme --by project,task --round 15m:up',
          'tt report --month --json | jq .seconds',
        ),
      )
      .action(lazily(() => import('../commands/report.js'))),
  )
}
