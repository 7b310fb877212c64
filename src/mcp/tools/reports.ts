import { z } from 'zod'
import { commands } from '../../program/declarations/report.js'
import { dimensions } from '../../records/report-names.js'
import { task } from '../../records/shapes/entries.js'
import * as reports from '../../records/shapes/reports.js'
import { seconds, time } from '../../records/shapes/values.js'
import * as inputs from '../inputs.js'
import { defineTool, type Tool } from '../tool.js'

const dimension = z.enum(dimensions)

const report = defineTool({
  name: 'report',
  title: 'Sum up time',
  description:
    'Sums up tracked time by client, project, task, tag, notes, day, week or month, with amounts, target and balance (default: the last 7 days by project). Use it for questions about how much time was spent. All durations are in seconds.',
  effect: 'read',
  input: z.strictObject({
    ...inputs.period,
    ...inputs.entryFilters,
    by: z
      .union([dimension, z.array(dimension).min(1)], {
        error: `Expected one or more of ${dimensions.join(', ')}`,
      })
      .default('project')
      .describe('Groups, outermost first'),
    limit: inputs.limit.describe('Return about this many groups at most, and combine the others'),
    round: z.string().min(1).describe('Round each entry, such as 15m or 6m:up').optional(),
  }),
  output: reports.report,
  outputKey: 'report',
  command: { ...commands.report, load: () => import('./limited-report.js') },
  toOptions: ({ by, ...input }) => ({ ...inputs.withFilter(input), by: [by].flat().join(',') }),
})

/** A part of the working hours without an entry. */
const gap = z.object({
  from: time,
  to: time,
  seconds,
  call: z
    .object({ tool: z.literal('entry_add'), input: z.object({ from: time, to: time }) })
    .describe('The call that adds it; task is missing in its input.'),
})
export type Gap = z.infer<typeof gap>

const gaps = defineTool({
  name: 'gaps',
  title: 'Find gaps',
  description:
    'Lists the parts of the working hours without a time entry (default: the last 7 days). Use it to find time that the user forgot to track; each has the call that adds it, once its input has a task.',
  effect: 'read',
  keeps: 'last',
  input: z.strictObject(inputs.period),
  output: z.array(gap),
  outputKey: 'gaps',
  command: { ...commands.check, load: () => import('./find-gaps.js') },
})

const tasksFind = defineTool({
  name: 'tasks_find',
  title: 'Find tasks',
  description:
    'Finds the tasks on which time can be tracked, with client and project. Use it before tracking time on a task whose exact name is unknown. Without text it lists all tasks.',
  effect: 'read',
  keeps: 'first',
  input: z.strictObject({
    text: z.string().describe('Part of the names: Task, Project/Task or Client/Project/Task').optional(),
  }),
  output: z.array(task),
  outputKey: 'tasks',
  command: { load: () => import('./find-tasks.js') },
})

export const reportTools: readonly Tool[] = [report, gaps, tasksFind]
