import { z } from 'zod'
import { commands } from '../../program/declarations/entries.js'
import { commands as reports } from '../../program/declarations/report.js'
import * as shapes from '../../records/shapes/entries.js'
import * as inputs from '../inputs.js'
import { defineTool, type Tool } from '../tool.js'

/** Returns an input with the name of the argument for its entries. */
const withEntries = ({ entries, ...options }: { entries: string[] }) => ({ entry: entries, ...options })

const entriesList = defineTool({
  name: 'entries_list',
  title: 'List entries',
  description:
    'Lists time entries with their IDs, oldest first (default: the last 7 days). Use it to see what was tracked and to find the entry to change. For sums use report.',
  effect: 'read',
  keeps: 'last',
  input: z.strictObject({
    ...inputs.period,
    ...inputs.entryFilters,
    running: z.boolean().describe('Only running entries').optional(),
    pending: z.boolean().describe('Only entries not sent to the service yet').optional(),
  }),
  output: z.array(shapes.loggedEntry),
  outputKey: 'entries',
  command: reports.log,
  toOptions: inputs.withFilter,
})

const entryAdd = defineTool({
  name: 'entry_add',
  title: 'Add entry',
  description:
    'Adds a finished entry, from a start to an end or for a duration. Use it for past work that was not tracked. Messages report overlaps with other entries. Creates a task only with create, after the user has confirmed it; otherwise an unknown task is an error with the nearest ones.',
  effect: 'add',
  isConfirmed: true,
  input: z.strictObject({
    task: inputs.task,
    from: inputs.time('Start'),
    to: inputs.timeLike('End; or use for', 'from').optional(),
    for: inputs.duration('Duration; or use to').optional(),
    notes: inputs.notes().optional(),
    external_id: inputs
      .nameOrId('ID of your choice: adding it again adds nothing and returns the stored entry')
      .optional(),
    create: inputs.create.optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.add,
})

const entryEdit = defineTool({
  name: 'entry_edit',
  title: 'Edit entries',
  description:
    'Changes times, task or notes of an entry, or task and notes of several entries at once. Use it to correct what was tracked. Several entries, and a task that create creates, need the confirmation of the user.',
  effect: 'overwrite', // Not idempotent: +10m and @1 mean something else each time.
  isConfirmed: true,
  input: z.strictObject({
    entries: inputs.entries(1),
    from: inputs.time('New start, on the day of the entry').optional(),
    to: inputs.timeLike('New end', 'from').optional(),
    for: inputs.duration('New duration: moves the end').optional(),
    task: inputs.task.optional(),
    notes: inputs.notes('New notes; an empty text removes them').optional(),
    append_notes: inputs.notes('Text to append to them').optional(),
    create: inputs.create.optional(),
  }),
  output: z.union([shapes.entry, z.array(shapes.entry)]),
  recordsLike: 'entries_list',
  outputKey: 'edited',
  command: commands.edit,
  toOptions: withEntries,
})

const entrySplit = defineTool({
  name: 'entry_split',
  title: 'Split entry',
  description:
    'Splits an entry at one or more times into entries of the same task. Use it when a part of an entry belongs to another task; then change that part with entry_edit.',
  effect: 'overwrite',
  input: z.strictObject({
    entry: inputs.entry,
    at: inputs.times('Time within the entry, or several'),
  }),
  output: z.array(shapes.entry),
  recordsLike: 'entries_list',
  outputKey: 'entries',
  command: commands.split,
})

const entriesJoin = defineTool({
  name: 'entries_join',
  title: 'Join entries',
  description:
    'Merges entries into one, from the first start to the last end, and deletes the others. Use it for work that was tracked in pieces. Needs the confirmation of the user.',
  effect: 'overwrite',
  isConfirmed: true,
  input: z.strictObject({
    entries: inputs.entries(2),
    task: inputs.task
      .describe(`${inputs.task.description} Required if the entries belong to several tasks`)
      .optional(),
    notes: inputs.notes('Notes of the merged entry (default: those of the entries)').optional(),
    create: inputs.create.optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.join,
  toOptions: withEntries,
})

const entryDelete = defineTool({
  name: 'entry_delete',
  title: 'Delete entries',
  description: 'Deletes entries. Use it only when the user wants it. Needs the confirmation of the user.',
  effect: 'overwrite', // Not idempotent: afterwards @1 is another entry.
  isConfirmed: true,
  input: z.strictObject({ entries: inputs.entries(1) }),
  output: z.array(shapes.entry),
  recordsLike: 'entries_list',
  outputKey: 'deleted',
  command: commands.rm,
  toOptions: withEntries,
})

const entryFill = defineTool({
  name: 'entry_fill',
  title: 'Extend entry',
  description:
    'Extends an entry to the entries around it, within working hours. Use it to close the gaps beside an entry. More than an hour needs the confirmation of the user.',
  effect: 'overwrite',
  isConfirmed: true,
  input: z.strictObject({
    entry: inputs.entry,
    before: z.boolean().describe('Only its start, also beyond working hours').optional(),
    after: z.boolean().describe('Only its end, also beyond working hours').optional(),
  }),
  output: shapes.entry,
  recordsLike: 'entries_list',
  outputKey: 'entry',
  command: commands.fill,
})

export const entryTools: readonly Tool[] = [
  entriesList,
  entryAdd,
  entryEdit,
  entrySplit,
  entryFill,
  entriesJoin,
  entryDelete,
]
