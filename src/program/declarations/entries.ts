import { commandsIn, defineCommand } from '../../cli/declaration.js'
import { duration, timeOn, timeOrLast, timesOn, wholeNumber } from '../../cli/option-values.js'
import { summaries } from '../command-list.js'
import { pickOption, repeatable } from '../options/shared-options.js'

const history = commandsIn(() => import('../../commands/undo.js'))
const createOption = {
  '--create': 'create the task even if a name is probably a typo (local workspace only)',
} as const
const entryArgument = { '<entry>': 'entry ID, @ for the running one, @1 for the last finished one' } as const
const countArgument = (direction: 'undo' | 'redo') =>
  ({
    '[n]': {
      description: 'number of changes (default: 1); more than one requires confirmation',
      parse: wholeNumber({
        least: 1,
        // More changes are never stored.
        most: 9999,
        hint: `\`tt ${direction} 2\` ${direction}es two changes; \`tt ${direction} --list\` shows them.`,
      }),
    },
  }) as const

/** The commands on entries: `tt add`, `edit`, `split`, `join`, `fill`, `show`, `rm`, `undo` and `redo`. */
export const commands = {
  add: defineCommand({
    summary: summaries.add,
    args: {
      '[task]': 'task ID or client/project/task (default: the task of the directory file .tt.json)',
      '[times...]':
        'start and end, such as 9:00-11:30 or yesterday 14:00-15:30, or a duration until now, such as 2h',
    },
    options: {
      '--from <time>': { description: 'start time; last is the end of the last entry', parse: timeOrLast },
      '--to <time>': { description: 'end time', parse: timeOn },
      '--for <duration>': {
        description: 'duration, such as 1h30m, 90m, 1.5h or 1:30 (alone: until now)',
        parse: duration,
      },
      '-n, --notes <text>': 'notes',
      '--external-id <id>': 'ID of the entry in another system',
      ...createOption,
    },
    examples: [
      'tt add Website/Design 9:30-11:00',
      'tt add design yesterday 14:00-15:30 -n "second page"',
      'tt add design 2h',
      'tt add design --from last --for 45m',
    ],
    load: () => import('../../commands/add.js'),
  }),
  edit: defineCommand({
    summary: summaries.edit,
    args: {
      '[entry...]':
        'entry IDs, @ for the running one, @1 for the last finished one (default: @, or @1 if no timer is running)',
    },
    options: {
      ...pickOption('[entry...]'),
      '--from <time>': { description: 'new start time', parse: timeOn },
      '--to <time>': { description: 'new end time', parse: timeOn },
      '--for <duration>': { description: 'new duration', parse: duration },
      '--task <task>': 'new task',
      '-n, --notes <text>': 'new notes',
      '--append-notes <text>': {
        description: 'append to the notes, after a semicolon',
        conflicts: ['--notes'],
      },
      ...createOption,
    },
    examples: [
      'tt edit --from 9:15',
      'tt edit @1 --for 45m',
      'tt edit --append-notes "call with Ada"',
      'tt edit 12 13 --task Website/Review',
      'tt edit @1 @2',
    ],
    load: () => import('../../commands/edit.js'),
  }),
  split: defineCommand({
    summary: summaries.split,
    args: entryArgument,
    options: {
      '--at <time>': { ...repeatable('time at which to split'), parse: timesOn, required: true },
    },
    examples: ['tt split 12 --at 11:00', 'tt split @1 --at 10:00 --at 12:30', 'tt split @ --at -15m'],
    load: () => import('../../commands/split.js'),
  }),
  join: defineCommand({
    summary: summaries.join,
    args: { '<entry...>': 'entry IDs, @ or @1; the earliest one is extended, the others are deleted' },
    options: {
      '--task <task>': 'task of the merged entry (required if the tasks differ)',
      '-n, --notes <text>': 'notes of the merged entry (default: all notes, joined with semicolons)',
      ...createOption,
    },
    examples: [
      'tt join @1 @2',
      'tt join 12 13 14 -n "first page" --yes',
      'tt join 12 @ --task Website/Review',
    ],
    load: () => import('../../commands/join.js'),
  }),
  fill: defineCommand({
    summary: summaries.fill,
    args: entryArgument,
    options: {
      '--before': 'extend the start back to the end of the previous entry, even outside working hours',
      '--after': 'extend the end to the start of the next entry or to now, even outside working hours',
    },
    notes: [
      'Without options, both the start and the end are extended, within working hours (`tt config get working_hours`). The entry always stays within its day. Adding more than one hour requires confirmation.',
    ],
    examples: ['tt fill @1 --yes', 'tt fill 12 --before --yes'],
    load: () => import('../../commands/fill.js'),
  }),
  show: defineCommand({
    summary: summaries.show,
    args: {
      '[entry]':
        'entry ID, @ for the running one, @1 for the last finished one (required unless --external-id is given)',
    },
    options: {
      '--external-id <id>': {
        description: 'find the entry by its ID in another system',
        conflicts: ['[entry]'],
      },
    },
    examples: ['tt show @', 'tt show 12 --json', 'tt show --external-id TICKET-7'],
    load: () => import('../../commands/show.js'),
  }),
  rm: defineCommand({
    summary: summaries.rm,
    args: { '[entry...]': 'entry IDs, @ or @1 (default: pick from a list)' },
    options: pickOption('[entry...]'),
    examples: ['tt rm @1', 'tt rm 12 13 --yes'],
    load: () => import('../../commands/rm.js'),
  }),
  undo: defineCommand({
    summary: summaries.undo,
    args: countArgument('undo'),
    options: { '--list': 'list the changes that can be undone, newest first' },
    examples: ['tt undo', 'tt undo 3 --yes', 'tt undo --list'],
    load: history('undo'),
  }),
  redo: defineCommand({
    summary: summaries.redo,
    args: countArgument('redo'),
    options: { '--list': 'list the changes that can be redone, next one first' },
    notes: ['Any other change clears the list of undone changes.'],
    examples: ['tt redo', 'tt redo 2 --yes', 'tt redo --list'],
    load: history('redo'),
  }),
}
