import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction, listCommand } from '../lazy-commands.js'
import { collect, examples, withEntryFilters, withPeriod } from '../shared-options.js'

/** Declares the commands on entries: `tt add`, `edit`, `split`, `join`, `fill`, `show`, `rm`, `undo`, `redo` and `log`. */
export function declareEntries(program: Command, lazyAction: LazyAction) {
  command(program, 'add', summaries.add, (command) =>
    command
      .argument('<task>', 'task link ID or client/project/task')
      .option('--from <time>', 'start time')
      .option('--to <time>', 'end time')
      .option('--for <duration>', 'duration, such as 1h30m, 90m, 1.5h or 1:30')
      .option('-n, --notes <text>', 'notes')
      .option('--external-id <id>', 'ID of the entry in another system')
      .option('--create', 'create the task even if a similar one exists (local workspace only)')
      .addHelpText('after', '\nRequires --from and either --to or --for.')
      .addHelpText(
        'after',
        examples(
          'tt add Website/Design --from 9:30 --to 11:00',
          'tt add design --from "yesterday 14:00" --for 1h30m -n "second page"',
        ),
      )
      .action(lazyAction(() => import('../../commands/add.js'))),
  )
  command(program, 'edit', summaries.edit, (command) =>
    command
      .argument(
        '[entry...]',
        'entry IDs, @ for the running one, @1 for the last finished one (default: @, or @1 if no timer is running)',
      )
      .option('--pick', 'pick from a list of recent entries')
      .option('--from <time>', 'new start time')
      .option('--to <time>', 'new end time')
      .option('--for <duration>', 'new duration')
      .option('--task <task>', 'new task')
      .option('-n, --notes <text>', 'new notes')
      .option('--create', 'create the task even if a similar one exists (local workspace only)')
      .addHelpText(
        'after',
        examples(
          'tt edit --from 9:15',
          'tt edit @1 --for 45m',
          'tt edit 12 13 --task Website/Review',
          'tt edit @1 @2',
        ),
      )
      .action(lazyAction(() => import('../../commands/edit.js'))),
  )
  command(program, 'split', summaries.split, (command) =>
    command
      .argument('<entry>', 'entry ID, @ for the running one, @1 for the last finished one')
      .option('--at <time>', 'time at which to split (required, repeatable)', collect)
      .addHelpText(
        'after',
        examples('tt split 12 --at 11:00', 'tt split @1 --at 10:00 --at 12:30', 'tt split @ --at -15m'),
      )
      .action(lazyAction(() => import('../../commands/split.js'))),
  )
  command(program, 'join', summaries.join, (command) =>
    command
      .argument('<entry...>', 'entry IDs, @ or @1; the earliest one is extended, the others are deleted')
      .option('--task <task>', 'task of the merged entry (required if the tasks differ)')
      .option('-n, --notes <text>', 'notes of the merged entry (default: all notes, joined with semicolons)')
      .option('--create', 'create the task even if a similar one exists (local workspace only)')
      .addHelpText(
        'after',
        examples(
          'tt join @1 @2',
          'tt join 12 13 14 -n "first page" --yes',
          'tt join 12 @ --task Website/Review',
        ),
      )
      .action(lazyAction(() => import('../../commands/join.js'))),
  )
  command(program, 'fill', summaries.fill, (command) =>
    command
      .argument('<entry>', 'entry ID, @ for the running one, @1 for the last finished one')
      .option(
        '--before',
        'extend the start back to the end of the previous entry, even outside working hours',
      )
      .option(
        '--after',
        'extend the end to the start of the next entry or to now, even outside working hours',
      )
      .addHelpText(
        'after',
        '\nWithout options, both the start and the end are extended, within working hours\n(`tt config get working_hours`). The entry always stays within its day. Adding more\nthan one hour requires confirmation.',
      )
      .addHelpText('after', examples('tt fill @1 --yes', 'tt fill 12 --before --yes'))
      .action(lazyAction(() => import('../../commands/fill.js'))),
  )
  command(program, 'show', summaries.show, (command) =>
    command
      .argument(
        '[entry]',
        'entry ID, @ for the running one, @1 for the last finished one (required unless --external-id is given)',
      )
      .option('--external-id <id>', 'find the entry by its ID in another system')
      .addHelpText('after', examples('tt show @', 'tt show 12 --json', 'tt show --external-id TICKET-7'))
      .action(lazyAction(() => import('../../commands/show.js'))),
  )
  command(program, 'rm', summaries.rm, (command) =>
    command
      .argument('[entry...]', 'entry IDs, @ or @1 (default: pick from a list)')
      .option('--pick', 'pick from a list of recent entries')
      .addHelpText('after', examples('tt rm @1', 'tt rm 12 13 --yes'))
      .action(lazyAction(() => import('../../commands/rm.js'))),
  )
  const history = () => import('../../commands/undo.js')
  command(program, 'undo', summaries.undo, (command) =>
    command
      .argument('[n]', 'number of changes (default: 1); more than one requires confirmation')
      .option('--list', 'list the changes that can be undone, newest first')
      .addHelpText('after', examples('tt undo', 'tt undo 3 --yes', 'tt undo --list'))
      .action(lazyAction(async () => (await history()).undo)),
  )
  command(program, 'redo', summaries.redo, (command) =>
    command
      .argument('[n]', 'number of changes (default: 1); more than one requires confirmation')
      .option('--list', 'list the changes that can be redone, next one first')
      .addHelpText('after', '\nAny other change clears the list of undone changes.')
      .addHelpText('after', examples('tt redo', 'tt redo 2 --yes', 'tt redo --list'))
      .action(lazyAction(async () => (await history()).redo)),
  )
  listCommand(program, 'log', summaries.log, (command) =>
    withEntryFilters(withPeriod(command, 'entries'))
      .optionsGroup('Output:')
      .option('-n, --limit <n>', 'print only the n newest entries')
      .option('--template <text>', "format each entry, such as '{day} {from} {duration} {label}'")
      .option('--ical', 'print an iCalendar file (RFC 5545)')
      .addHelpText(
        'after',
        examples(
          'tt log --week',
          'tt log -n 5',
          'tt log --since 2024-05-01 --project Website --csv',
          "tt log --quarter --client Acme --task '!Travel' --billable",
          'tt log --today --json | jq length',
          'tt log --month --ical > may.ics',
        ),
      )
      .action(lazyAction(() => import('../../commands/log.js'))),
  )
}
