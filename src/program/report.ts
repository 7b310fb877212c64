import type { Command } from 'commander'
import { examples, type Lazily, list, where } from './declaring.js'

/** `tt report`. */
export function declareReport(program: Command, lazily: Lazily) {
  list(program, 'report', 'sum up entries; by default those of the last 7 days', (command) =>
    command
      .option('--since <date>', 'from this day on (2024-05-01, monday, -7d, "last week", may)')
      .option('--until <date>', 'up to and with this day')
      .option('--today', 'of today')
      .option('--yesterday', 'of yesterday')
      .option('--week', 'of this week')
      .option('--month', 'of this month')
      .option('--project <project>', 'of projects with this in the name, or this id')
      .option('--client <client>', 'of clients with this in the name, or this id')
      .option('--task <task>', 'of tasks with this in the name, or this id')
      .option('--notes <text>', 'with this in the notes')
      .addOption(where())
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
