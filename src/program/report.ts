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
      .option('--chart [kind]', 'draw it: bars (the default), heat or shares')
      .option('--html <file>', 'write one page that needs nothing else; - is standard output')
      .option('--gaps', 'instead: working hours without time, by the settings')
      .option('--overlaps', 'instead: time that is counted twice')
      .option('--long', 'instead: entries longer than the setting entry_limit')
      .option('--without-notes', 'instead: entries without notes')
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
      .action(lazily(() => import('../commands/report.js'))),
  )
}
