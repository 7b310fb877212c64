import type { Command } from 'commander'
import { command, examples, type LazyAction } from '../lazy-commands.js'

/** `tt start`, `stop`, `status`, `cancel` and `continue`. */
export function declareTimer(program: Command, lazily: LazyAction) {
  command(program, 'start', 'start a timer; stops the running one first', (command) =>
    command
      .argument('[task]', 'task link ID or client/project/task (default: pick from a list)')
      .option('-n, --notes <text>', 'notes')
      .option('--at <time>', 'start time, such as 9:30, -15m, "yesterday 17:00" (default: now)')
      .option('--trim', 'shorten an overlapping entry without a prompt')
      .option('--create', 'create the task even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt start Website/Design -n "first page"',
          'tt start design --at 9:30',
          'tt start 12 --at -15m --trim',
        ),
      )
      .action(lazily(() => import('../../commands/start.js'))),
  )
  command(program, 'stop', 'stop the running timer', (command) =>
    command
      .option('--at <time>', 'end time (default: now)')
      .option('-n, --notes <text>', 'replace the notes')
      .addHelpText('after', examples('tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'))
      .action(lazily(() => import('../../commands/stop.js'))),
  )
  command(program, 'status', 'show the running timer', (command) =>
    command
      .option('--cached', 'use local data only; never connects to the service')
      .option('--template <text>', "print a line such as '{label} {duration}'; nothing without a timer")
      .addHelpText(
        'after',
        examples(
          'tt status',
          'tt status --json | jq .duration_seconds',
          "tt status --cached --template '{label} since {from}'",
        ),
      )
      .action(lazily(() => import('../../commands/status.js'))),
  )
  command(program, 'cancel', 'discard the running timer', (command) =>
    command
      .addHelpText('after', examples('tt cancel', 'tt cancel --yes'))
      .action(lazily(() => import('../../commands/cancel.js'))),
  )
  command(program, 'continue', 'resume the last entry', (command) =>
    command
      .argument('[entry]', 'entry ID, or @1 for the last finished entry, @2 for the one before it')
      .option('--pick', 'pick from a list of recent entries')
      .option('--at <time>', 'start time (default: now)')
      .option('--trim', 'shorten an overlapping entry without a prompt')
      .option('-n, --notes <text>', 'notes (default: those of the entry)')
      .addHelpText('after', examples('tt continue', 'tt continue @2'))
      .action(lazily(() => import('../../commands/continue.js'))),
  )
}
