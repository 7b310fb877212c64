import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { dayOf } from '../lib/calendar/day.js'
import { formatDateTime, toRfc3339 } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/remind.js'
import type { CheckedReminderJson, ReminderStatusJson } from '../records/shapes/accounts.js'
import type { View } from '../ui/view.js'
import { dueReminders, notify, type Reminder } from './remind/due-reminders.js'
import {
  editedText,
  hasSystemd,
  installUnits,
  launchdAgent,
  removeUnits,
  type ScheduledCommand,
  type ScheduleFormat,
  scheduledCommand,
  schedulerTask,
  systemdUnits,
  timerUnit,
  unitName,
  unitState,
} from './remind/schedules.js'
import { recordView } from './views/record.js'

type Commands = typeof commands.remind.commands

type CheckedReminder = CheckedReminderJson

/** Reports what is due, once a day each: as a notification, otherwise on standard output. */
export const check = {
  view: {
    columns: [{ key: 'message', title: 'Reminder' }],
    json: (reminder) => ({ ...reminder }),
    empty: 'No new reminder is due.',
  } satisfies View<CheckedReminder>,
  async run(ctx: Context): Promise<CheckedReminder[]> {
    const reminders: CheckedReminder[] = []
    for (const { kind, message } of await claimNew(ctx, await dueReminders(ctx)))
      reminders.push({ kind, message, notified: await notify(message, ctx.host.env) })
    const showsAll = ctx.options.json || ctx.host.stdout.isTTY
    return showsAll ? reminders : reminders.filter(({ notified }) => !notified)
  },
}

/** Returns the reminders that were not reported today, and stores them as reported. */
async function claimNew(ctx: Context, due: readonly Reminder[]): Promise<Reminder[]> {
  if (due.length === 0) return []
  const state = await ctx.state()
  const today = dayOf(ctx.now)
  return state.atomically(() => {
    const stored = state.snapshot('reminders')?.value
    const reported = stored?.day === today ? stored.keys : []
    const fresh = due.filter(({ key }) => !reported.includes(key))
    if (fresh.length > 0)
      state.saveSnapshot(
        'reminders',
        { day: today, keys: [...reported, ...fresh.map(({ key }) => key)] },
        ctx.now,
      )
    return fresh
  })
}

interface Installation {
  files: string[]
  active: boolean
}

interface PrintedSchedule {
  format: ScheduleFormat
  schedule: string
}

/** Installs the timer of systemd, or prints the schedule for launchd or the Task Scheduler. */
export const install = {
  messageReplacesValue: ({ options }: Input<Commands['install']>) =>
    options.print === undefined && process.platform === 'linux',
  text: (value: Installation | PrintedSchedule): string[] | undefined =>
    value instanceof PlainSchedule ? [value.schedule] : undefined,
  async run(
    ctx: Context,
    { options: { print, force = false } }: Input<Commands['install']>,
  ): Promise<Installation | PrintedSchedule> {
    const command = scheduledCommand(ctx)
    const format = formatFor(print)
    if (print !== undefined || format !== 'systemd') return printSchedule(ctx, command, format)
    if (!hasSystemd(ctx.host.env)) {
      throw new TtError('failure', 'systemd is not installed.', {
        hint: 'Let another scheduler, such as cron, run `tt remind check` every 15 minutes.',
      })
    }
    const { files, problem } = await installUnits(ctx.host.env, systemdUnits(command), force)
    ctx.terminal.message(`Installed ${files.join(' and ')}.`)
    if (problem !== undefined) {
      ctx.terminal.warn(
        `The timer is not active: systemctl: ${problem}. Run \`systemctl --user enable --now ${timerUnit}\` in a session of yours.`,
      )
    }
    return { files, active: problem === undefined }
  },
}

/** A schedule that is printed as it is. */
class PlainSchedule implements PrintedSchedule {
  constructor(
    readonly format: ScheduleFormat,
    readonly schedule: string,
  ) {}
}

function formatFor(typed: ScheduleFormat | undefined): ScheduleFormat {
  const platforms: Partial<Record<NodeJS.Platform, ScheduleFormat>> = {
    darwin: 'launchd',
    win32: 'task-scheduler',
  }
  return typed ?? platforms[process.platform] ?? 'systemd'
}

function printSchedule(ctx: Context, command: ScheduledCommand, format: ScheduleFormat): PrintedSchedule {
  const schedules: Record<ScheduleFormat, () => string> = {
    systemd: () =>
      Object.entries(systemdUnits(command))
        .map(([name, text]) => `# ${name}\n${text}`)
        .join('\n'),
    launchd: () => launchdAgent(command),
    'task-scheduler': () => schedulerTask(command, ctx.now),
  }
  const instructions: Record<ScheduleFormat, string> = {
    systemd: 'Save each part under its name in ~/.config/systemd/user, or run `tt remind install` on Linux.',
    launchd: `Save it as ~/Library/LaunchAgents/${unitName}.plist and run \`launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${unitName}.plist\`. To remove it, run \`launchctl bootout gui/$(id -u)/${unitName}\` and delete the file.`,
    'task-scheduler': `Save it as ${unitName}.xml and run \`Register-ScheduledTask -TaskName ${unitName} -Xml (Get-Content -Raw -Encoding UTF8 ${unitName}.xml)\` in PowerShell. To remove it, run \`Unregister-ScheduledTask -TaskName ${unitName}\`.`,
  }
  ctx.terminal.message(instructions[format])
  const schedule = schedules[format]()
  return ctx.options.json ? { format, schedule } : new PlainSchedule(format, schedule)
}

/** Removes what `tt remind install` wrote. */
export const remove = {
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { options: { force = false } }: Input<Commands['remove']>,
  ): Promise<{ removed: string[]; edited: string[] }> {
    const { removed, edited, problem } = await removeUnits(ctx.host.env, force)
    if (removed.length > 0) ctx.terminal.message(`Removed ${removed.join(' and ')}.`)
    else if (edited.length === 0) ctx.terminal.message('No reminders of tt are installed in systemd.')
    if (problem !== undefined) {
      ctx.terminal.warn(
        `The timer may still be active: systemctl: ${problem}. Run \`systemctl --user stop ${timerUnit}\` in a session of yours.`,
      )
    }
    if (edited.length > 0) {
      ctx.afterOutput.fail(
        new TtError('failure', `${editedText(edited)}: nothing was removed, and the reminders continue.`, {
          hint: 'Run `tt remind remove --force` to remove both units.',
        }),
      )
    }
    return { removed, edited }
  },
}

type Status = ReminderStatusJson

/** Returns whether reminders are installed and active, and what is due now. */
export const status = {
  view: (ctx: Context): View<Status> => ({
    ...recordView<Status>({ installed: 'Installed', active: 'Active', next_run: 'Next run' }, ''),
    json: (row) => ({ ...row }),
    line: (row) => statusText(row, ctx.now),
  }),
  async run(ctx: Context): Promise<Status> {
    const { files, edited, active, nextRun, problem } = await unitState(ctx.host.env)
    const due = await dueReminders(ctx)
    return {
      ...{ installed: files.length === 2, active, next_run: nextRun && toRfc3339(nextRun) },
      ...{ edited: edited.length > 0, problem, files },
      due: due.map(({ kind, message }) => ({ kind, message })),
    }
  },
}

function statusText({ installed, active, next_run, edited, problem, due }: Status, now: Date): string {
  const state = installed
    ? `Installed${edited ? ' and edited' : ''}${active === null ? '' : active ? ', active' : ', not active'}.`
    : 'Not installed. Run `tt remind install`.'
  const next = next_run === null ? [] : [`Next run: ${formatDateTime(new Date(next_run))}.`]
  const unknown = problem === null ? [] : [`systemctl: ${problem}.`]
  const reminders =
    due.length === 0 ? [`Nothing is due at ${formatDateTime(now)}.`] : due.map(({ message }) => message)
  return [state, ...next, ...unknown, ...reminders].join(' ')
}
