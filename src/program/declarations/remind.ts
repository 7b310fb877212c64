import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { choice } from '../../cli/option-values.js'
import { summaries } from '../command-list.js'

const remind = commandsIn(() => import('../../commands/remind.js'))

/** `tt remind`. */
export const commands = {
  remind: defineGroup({
    summary: summaries.remind,
    default: 'status',
    commands: {
      check: defineCommand({
        summary: 'report what is due, once a day each',
        description: 'report forgotten timers and missing time, each once a day',
        notes: [
          'The notification is shown with `notify-send`, on macOS with `osascript`, on Windows with PowerShell. If that fails, each reminder is one line on standard output. While a timer runs, only its length and the sleep of this machine are checked. Settings: `entry_limit`, `sleep_limit`, `remind.tracked_by`, `remind.target_at`, `working_days`, `holidays` and `target.*`.',
        ],
        examples: ['tt remind check', 'tt remind check --json'],
        load: remind('check'),
      }),
      install: defineCommand({
        summary: 'run `tt remind check` every 15 minutes',
        description: 'install a user timer of systemd, or print a schedule for macOS or Windows',
        options: {
          '--print <schedule>': {
            description: 'print a schedule for systemd, launchd or task-scheduler; install nothing',
            parse: choice(['systemd', 'launchd', 'task-scheduler']),
          },
          '--force': 'overwrite units that were edited',
        },
        examples: ['tt remind install', 'tt remind install --print launchd'],
        load: remind('install'),
      }),
      remove: defineCommand({
        summary: 'stop the timer of systemd and delete its units',
        description: 'stop the timer of systemd and delete its units, unless one was edited',
        options: { '--force': 'also delete units that were edited' },
        examples: ['tt remind remove', 'tt remind remove --json'],
        load: remind('remove'),
      }),
      status: defineCommand({
        summary: 'show whether reminders are active, and what is due',
        examples: ['tt remind status', 'tt remind --json'],
        load: remind('status'),
      }),
    },
    examples: ['tt remind install', 'tt remind --json', 'tt config set remind.tracked_by 9:30'],
  }),
}
