import type { Command } from 'commander'
import { examples, type Lazily, leaf } from './declaring.js'

/** `tt start`, `stop`, `status`, `cancel` and `continue`. */
export function declareTimer(program: Command, lazily: Lazily) {
  leaf(program, 'start', 'start the timer; what runs is stopped at that moment first', (command) =>
    command
      .argument(
        '[task]',
        'task link: its id, or words of client/project/task; without it, on a terminal, a list',
      )
      .option('-n, --notes <text>', 'what you are doing')
      .option('--at <time>', 'when it started (9:30, -15m, "yesterday 17:00"); default: now')
      .option('--trim', 'end what ended after that then, without asking')
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt start Website/Design -n "first page"',
          'tt start design --at 9:30',
          'tt start 12 --at -15m --trim',
        ),
      )
      .action(lazily(() => import('../commands/start.js'))),
  )
  leaf(program, 'stop', 'stop the timer', (command) =>
    command
      .option('--at <time>', 'when it stopped; default: now')
      .option('-n, --notes <text>', 'replace the notes')
      .addHelpText('after', examples('tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'))
      .action(lazily(() => import('../commands/stop.js'))),
  )
  leaf(program, 'status', 'show the running timer', (command) =>
    command
      .option('--cached', 'what this machine knows, without the network')
      .option('--template <text>', "one line such as '{label} {duration}', and nothing without a timer")
      .addHelpText(
        'after',
        examples(
          'tt status',
          'tt status --json | jq .duration_seconds',
          "tt status --cached --template '{label} since {from}'",
        ),
      )
      .action(lazily(() => import('../commands/status.js'))),
  )
  leaf(program, 'cancel', 'throw the running timer away', (command) =>
    command
      .addHelpText('after', examples('tt cancel', 'tt cancel --yes'))
      .action(lazily(() => import('../commands/cancel.js'))),
  )
  leaf(program, 'continue', 'start again what ran last', (command) =>
    command
      .argument('[entry]', 'an id, or @1 for the last finished entry, @2 for the one before it')
      .option('--pick', 'pick the entry out of the recent ones')
      .option('--at <time>', 'when it started; default: now')
      .option('--trim', 'end what ended after that then, without asking')
      .option('-n, --notes <text>', 'other notes than those of the entry')
      .addHelpText('after', examples('tt continue', 'tt continue @2'))
      .action(lazily(() => import('../commands/continue.js'))),
  )
}
