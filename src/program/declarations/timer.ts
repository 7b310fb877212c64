import { defineCommand } from '../../cli/declaration.js'
import { timeOrLast } from '../../cli/option-values.js'
import { watchKeyRows } from '../../ui/keys.js'
import { summaries } from '../command-list.js'
import { cachedOption, pickOption } from '../options/shared-options.js'

/** `tt start`, `stop`, `status`, `watch`, `cancel` and `continue`. */
export const commands = {
  start: defineCommand({
    summary: summaries.start,
    args: { '[task]': 'task ID or client/project/task (default: pick from a list)' },
    options: {
      '-n, --notes <text>': 'notes',
      '--at <time>': {
        description:
          'start time, such as 9:30, -15m, "yesterday 17:00" or last, the end of the last entry (default: now)',
        parse: timeOrLast,
      },
      '--trim': 'end an earlier overlapping entry at the start time, without prompting',
      '--create': 'create the task even if a name is probably a typo (local workspace only)',
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
      '--at <time>': { description: 'end time (default: now)', parse: timeOrLast },
      '-n, --notes <text>': 'replace the notes',
    },
    examples: ['tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'],
    load: () => import('../../commands/stop.js'),
  }),
  status: defineCommand({
    summary: summaries.status,
    options: {
      ...cachedOption,
      '--template <text>':
        "format the timer, such as '{label} {duration}'; prints nothing if no timer is running",
    },
    examples: [
      'tt status',
      'tt status --jq .duration_seconds',
      "tt status --cached --template '{label} since {from}'",
    ],
    load: () => import('../../commands/status.js'),
  }),
  watch: defineCommand({
    summary: summaries.watch,
    notes: [
      { title: 'Keys', rows: watchKeyRows() },
      'Changes of other commands appear within a second. A service is polled every 15 to 60 seconds, and less often while it cannot be reached.',
      'With `--json`, prints one event per line: first the `state` of today, then `started`, `stopped`, `added`, `changed` and `deleted` for entries of the last 7 days, `offline` and `online` for the service, `warning` and `error`, and `state` again on each new day.',
      'Ctrl-C ends it with exit status 130, q with 0.',
    ],
    examples: ['tt watch', 'tt watch --jq .type'],
    load: () => import('../../commands/watch.js'),
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
      ...pickOption('[entry]'),
      '--at <time>': {
        description: 'start time; last is the end of the last entry (default: now)',
        parse: timeOrLast,
      },
      '--trim': 'end an earlier overlapping entry at the start time, without prompting',
      '-n, --notes <text>': 'notes (default: those of the entry)',
    },
    examples: ['tt continue', 'tt continue @2'],
    load: () => import('../../commands/continue.js'),
  }),
}
