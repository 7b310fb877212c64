import type { Command } from 'commander'
import { examples, gathered, type Lazily, leaf, list, withEntryFilters, withPeriod } from './declaring.js'

/** What is done to entries: `tt add`, `edit`, `split`, `join`, `fill`, `show`, `rm`, `undo`, `redo` and `log`. */
export function declareEntries(program: Command, lazily: Lazily) {
  leaf(program, 'add', 'record time that has passed', (command) =>
    command
      .argument('<task>', 'task link: its id, or words of client/project/task')
      .option('--from <time>', 'when it began')
      .option('--to <time>', 'when it ended')
      .option('--for <duration>', 'how long it took (1h30m, 90m, 1.5h, 1:30)')
      .option('-n, --notes <text>', 'what you did')
      .option('--external-id <id>', "another system's id of the entry")
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt add Website/Design --from 9:30 --to 11:00',
          'tt add design --from "yesterday 14:00" --for 1h30m -n "second page"',
        ),
      )
      .action(lazily(() => import('../commands/add.js'))),
  )
  leaf(program, 'edit', 'change entries; without options, in your editor ($VISUAL or $EDITOR)', (command) =>
    command
      .argument(
        '[entry...]',
        'ids, @ for the running one, @1 for the last finished one; default: @, or else @1',
      )
      .option('--pick', 'pick the entry out of the recent ones')
      .option('--from <time>', 'another start')
      .option('--to <time>', 'another end')
      .option('--for <duration>', 'another length')
      .option('--task <task>', 'another task')
      .option('-n, --notes <text>', 'other notes')
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt edit --from 9:15',
          'tt edit @1 --for 45m',
          'tt edit 12 13 --task Website/Review',
          'tt edit @1 @2',
        ),
      )
      .action(lazily(() => import('../commands/edit.js'))),
  )
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
  leaf(program, 'fill', 'extend an entry over the free time around it, within working hours', (command) =>
    command
      .argument('<entry>', 'an id, @ for the running one, @1 for the last finished one')
      .option('--before', 'only back to the end of the entry before it, also outside of working hours')
      .option('--after', 'only to the start of the next one, or now, also outside of working hours')
      .addHelpText(
        'after',
        '\nStays on the day of the entry and, without --before and --after, within working hours\n(`tt config get working_hours`). Prompts above one hour.',
      )
      .addHelpText('after', examples('tt fill @1 --yes', 'tt fill 12 --before --yes'))
      .action(lazily(() => import('../commands/fill.js'))),
  )
  leaf(program, 'show', 'show one entry, whole', (command) =>
    command
      .argument('[entry]', 'an id, @ for the running one, @1 for the last finished one')
      .option('--external-id <id>', "find it by another system's id")
      .addHelpText('after', examples('tt show @', 'tt show 12 --json', 'tt show --external-id TICKET-7'))
      .action(lazily(() => import('../commands/show.js'))),
  )
  leaf(program, 'rm', 'delete entries', (command) =>
    command
      .argument('[entry...]', 'ids, @ or @1; without any, on a terminal, a list')
      .option('--pick', 'pick the entry out of the recent ones')
      .addHelpText('after', examples('tt rm @1', 'tt rm 12 13 --yes'))
      .action(lazily(() => import('../commands/rm.js'))),
  )
  const history = () => import('../commands/undo.js')
  leaf(program, 'undo', 'undo the last change of entries or expenses', (command) =>
    command
      .argument('[n]', 'number of changes (default: 1); prompts above 1')
      .option('--list', 'list the changes that can be undone, the latest first')
      .addHelpText('after', examples('tt undo', 'tt undo 3 --yes', 'tt undo --list'))
      .action(lazily(async () => (await history()).undo)),
  )
  leaf(program, 'redo', 'redo the last change that was undone', (command) =>
    command
      .argument('[n]', 'number of changes (default: 1); prompts above 1')
      .option('--list', 'list the changes that can be redone, in the order of redoing')
      .addHelpText('after', '\nA new change clears the list.')
      .addHelpText('after', examples('tt redo', 'tt redo 2 --yes', 'tt redo --list'))
      .action(lazily(async () => (await history()).redo)),
  )
  list(program, 'log', 'list entries; by default those of the last 7 days', (command) =>
    withEntryFilters(withPeriod(command))
      .option('--limit <n>', 'the newest n')
      .option('--template <text>', "a line for each, such as '{day} {from} {duration} {label}'")
      .option('--ical', 'print an iCalendar file (RFC 5545)')
      .addHelpText(
        'after',
        examples(
          'tt log --week',
          'tt log --since 2024-05-01 --project Website --csv',
          "tt log --quarter --client Acme --task '!Travel' --billable",
          'tt log --today --json | jq length',
          'tt log --month --ical > may.ics',
        ),
      )
      .action(lazily(() => import('../commands/log.js'))),
  )
}
