import { summaries } from '../command-list.js'
import { defineCommand } from '../declaration.js'

/** `tt start`, `stop`, `status`, `cancel` and `continue`. */
export const commands = {
  start: defineCommand({
    summary: summaries.start,
    args: { '[task]': 'task link ID or client/project/task (default: pick from a list)' },
    options: {
      '-n, --notes <text>': 'notes',
      '--at <time>': 'start time, such as 9:30, -15m or "yesterday 17:00" (default: now)',
      '--trim': 'end an earlier overlapping entry at the start time, without prompting',
      '--create': 'create the task even if a similar one exists (local workspace only)',
    },
    examples: [
      'tt start Website/Design -n "first page"',
      'tt start design --at 9:30',
      'tt start 12 --at -15m --trim',
    ],
    load: () => import('../../commands/start.js'),
  }),
  stop: defineCommand({
    summary: summaries.stop,
    options: {
      '--at <time>': 'end time (default: now)',
      '-n, --notes <text>': 'replace the notes',
    },
    examples: ['tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'],
    load: () => import('../../commands/stop.js'),
  }),
  status: defineCommand({
    summary: summaries.status,
    options: {
      '--cached': 'use local data; do not connect to the service',
      '--template <text>':
        "format the timer, such as '{label} {duration}'; prints nothing if no timer is running",
    },
    examples: [
      'tt status',
      'tt status --json | jq .duration_seconds',
      "tt status --cached --template '{label} since {from}'",
    ],
    load: () => import('../../commands/status.js'),
  }),
  cancel: defineCommand({
    summary: summaries.cancel,
    examples: ['tt cancel', 'tt cancel --yes'],
    load: () => import('../../commands/cancel.js'),
  }),
  continue: defineCommand({
    summary: summaries.continue,
    description: 'start a timer with the task and notes of the last entry',
    args: {
      '[entry]': 'entry ID, @1 for the last finished entry, @2 for the one before it (default: @1)',
    },
    options: {
      '--pick': 'pick from a list of recent entries',
      '--at <time>': 'start time (default: now)',
      '--trim': 'end an earlier overlapping entry at the start time, without prompting',
      '-n, --notes <text>': 'notes (default: those of the entry)',
    },
    examples: ['tt continue', 'tt continue @2'],
    load: () => import('../../commands/continue.js'),
  }),
}
