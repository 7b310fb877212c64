import type { Command } from 'commander'
import { examples, gathered, type Lazily, leaf } from './declaring.js'

/** `tt split`, `tt join` and `tt fill`. */
export function declareMending(program: Command, lazily: Lazily) {
  leaf(program, 'split', 'cut an entry in two or more', (command) =>
    command
      .argument('<entry>', 'an id, @ for the running one, @1 for the last finished one')
      .option(
        '--at <time>',
        'where; on the day of the entry, or the next where it crosses midnight; repeatable',
        gathered,
      )
      .addHelpText(
        'after',
        examples('tt split 12 --at 11:00', 'tt split @1 --at 10:00 --at 12:30', 'tt split @ --at -15m'),
      )
      .action(lazily(() => import('../commands/split.js'))),
  )
  leaf(program, 'join', 'make one entry of several, from the first start to the last end', (command) =>
    command
      .argument('<entry...>', 'ids, @ or @1; the one that begins first stays')
      .option('--task <task>', 'the task of the one that comes of them; needed where theirs differ')
      .option('-n, --notes <text>', 'its notes; default: those that differ, with semicolons between')
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt join @1 @2',
          'tt join 12 13 14 -n "first page" --yes',
          'tt join 12 @ --task Website/Review',
        ),
      )
      .action(lazily(() => import('../commands/join.js'))),
  )
  leaf(program, 'fill', 'extend an entry over the free time around it', (command) =>
    command
      .argument('<entry>', 'an id, @ for the running one, @1 for the last finished one')
      .option('--before', 'only back to the end of the entry before it')
      .option('--after', 'only to the start of the next one, or now')
      .addHelpText(
        'after',
        '\nIt stays on its day, and, where it touches working hours (`tt config get working_hours`), within them.',
      )
      .addHelpText('after', examples('tt fill @1', 'tt fill 12 --before'))
      .action(lazily(() => import('../commands/fill.js'))),
  )
}
