import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt start`, `stop`, `status`, `cancel` and `continue`. */
export function declareTimer(program: Command, lazyAction: LazyAction) {
  command(program, 'start', summaries.start, (command) =>
    command
      .argument('[task]', 'task link ID or client/project/task (default: pick from a list)')
      .option('-n, --notes <text>', 'notes')
      .option('--at <time>', 'start time, such as 9:30, -15m or "yesterday 17:00" (default: now)')
      .option('--trim', 'end an earlier overlapping entry at the start time, without prompting')
      .option('--create', 'create the task even if a similar one exists (local workspace only)')
      .addHelpText(
        'after',
        examples(
          'tt start Website/Design -n "first page"',
          'tt start design --at 9:30',
          'tt start 12 --at -15m --trim',
        ),
      )
      .action(lazyAction(() => import('../../commands/start.js'))),
  )
  command(program, 'stop', summaries.stop, (command) =>
    command
      .option('--at <time>', 'end time (default: now)')
      .option('-n, --notes <text>', 'replace the notes')
      .addHelpText('after', examples('tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'))
      .action(lazyAction(() => import('../../commands/stop.js'))),
  )
  command(program, 'status', summaries.status, (command) =>
    command
      .option('--cached', 'use local data; do not connect to the service')
      .option(
        '--template <text>',
        "format the timer, such as '{label} {duration}'; prints nothing if no timer is running",
      )
      .addHelpText(
        'after',
        examples(
          'tt status',
          'tt status --json | jq .duration_seconds',
          "tt status --cached --template '{label} since {from}'",
        ),
      )
      .action(lazyAction(() => import('../../commands/status.js'))),
  )
  command(program, 'cancel', summaries.cancel, (command) =>
    command
      .addHelpText('after', examples('tt cancel', 'tt cancel --yes'))
      .action(lazyAction(() => import('../../commands/cancel.js'))),
  )
  command(program, 'continue', summaries.continue, (command) =>
    command
      .summary(summaries.continue)
      .description('start a timer with the task and notes of the last entry')
      .argument('[entry]', 'entry ID, @1 for the last finished entry, @2 for the one before it (default: @1)')
      .option('--pick', 'pick from a list of recent entries')
      .option('--at <time>', 'start time (default: now)')
      .option('--trim', 'end an earlier overlapping entry at the start time, without prompting')
      .option('-n, --notes <text>', 'notes (default: those of the entry)')
      .addHelpText('after', examples('tt continue', 'tt continue @2'))
      .action(lazyAction(() => import('../../commands/continue.js'))),
  )
}
