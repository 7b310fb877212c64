import { execFile } from 'node:child_process'
import { TimeoutError, withTimeout } from '../../api-client/http/network-errors.js'
import type { Context } from '../../cli/context.js'
import type { Environment } from '../../config/paths.js'
import { dayOf, startOfDay } from '../../lib/calendar/day.js'
import { timeOf } from '../../lib/calendar/interval.js'
import { formatTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { CheckedReminderJson } from '../../records/shapes/accounts.js'
import { durationOf, type Entry, entryFromJson, labelOf } from '../../tracking/entries/entry.js'
import { longSleepSeconds } from '../shared/confirm-end.js'
import { targetCalendar } from '../shared/targets/target-calendar.js'

/** The facts that `tt remind check` reports. */
type ReminderKind = CheckedReminderJson['kind']

export interface Reminder {
  kind: ReminderKind
  /** One sentence, which begins with words of this program. */
  message: string
  /** Identifies the fact on its day: it is reported once. */
  key: string
}

/** How long to wait for a service before the local data is used, in milliseconds. */
const serviceLimitMs = 5000

/**
 * Returns what is due now: a timer that has run for longer than `entry_limit`, or while this machine slept, a working day without tracked time, a day
 * below its target. Changes no entries. Waits at most 5 s for a service; if it does not respond, only the known timer is
 * checked, with a warning. Throws TtError `usage` for invalid settings.
 */
export async function dueReminders(ctx: Context): Promise<Reminder[]> {
  try {
    return await withTimeout(serviceLimitMs, async () => {
      const entries = await readToday(ctx)
      // Cached entries may lack those that were tracked elsewhere.
      if (!(await ctx.entries()).isFresh) return dueOfKnownTimer(ctx)
      return dueToday(ctx, entries)
    })
  } catch (error) {
    if (!(error instanceof TimeoutError) && !(error instanceof TtError && error.code === 'unreachable'))
      throw error
    return dueOfKnownTimer(ctx)
  }
}

async function dueToday(ctx: Context, entries: readonly Entry[]): Promise<Reminder[]> {
  const running = entries.find(({ end }) => end === null)
  if (running) return dueTimer(ctx, running)
  const [settings, calendar] = [await ctx.config.settings(), await ctx.config.workCalendar()]
  const isPast = (minutes: number | undefined) => minutes !== undefined && minuteOfDay(ctx.now) >= minutes
  if (entries.length === 0) {
    const isDue = calendar.isWorkingDay(dayOf(ctx.now)) && isPast(settings.remindTrackedBy)
    return isDue ? [{ kind: 'untracked', message: 'No time is tracked today.', key: 'untracked' }] : []
  }
  return isPast(settings.remindTargetAt) ? belowTarget(ctx, entries) : []
}

/** Returns whether the timer that is known on this machine is due, and warns that nothing else was checked. */
async function dueOfKnownTimer(ctx: Context): Promise<Reminder[]> {
  ctx.terminal.warn('The service does not respond: only the timer that is known on this machine was checked.')
  const timer = (await ctx.state()).snapshot('timer')?.value
  return timer ? dueTimer(ctx, entryFromJson(timer)) : []
}

async function dueTimer(ctx: Context, running: Entry): Promise<Reminder[]> {
  const { entryLimitSeconds } = await ctx.config.settings()
  const slept = await longSleepSeconds(ctx, running)
  return [
    ...(durationOf(running, ctx.now) > entryLimitSeconds
      ? [forgottenTimer(ctx, running, entryLimitSeconds)]
      : []),
    ...(slept ? [sleepReminder(ctx, running, slept)] : []),
  ]
}

function sleepReminder(ctx: Context, entry: Entry, seconds: number): Reminder {
  const since = formatTime(entry.start, ctx.now)
  return {
    kind: 'sleep',
    message: `This machine slept for ${ctx.durations.format(seconds)} while a timer ran, since ${since}: ${labelOf(entry)}.`,
    key: `sleep ${entry.start.toISOString()}`,
  }
}

function forgottenTimer(ctx: Context, entry: Entry, limitSeconds: number): Reminder {
  const duration = ctx.durations.format(durationOf(entry, ctx.now))
  const limit = ctx.durations.format(limitSeconds)
  return {
    kind: 'entry_limit',
    message: `A timer has run for ${duration}, since ${formatTime(entry.start, ctx.now)}: ${labelOf(entry)}. That is longer than entry_limit (${limit}).`,
    key: `entry_limit ${entry.start.toISOString()}`,
  }
}

async function belowTarget(ctx: Context, entries: readonly Entry[]): Promise<Reminder[]> {
  const today = dayOf(ctx.now)
  const [earliest] = [...entries].sort((a, b) => a.start.getTime() - b.start.getTime())
  const calendar = await targetCalendar(ctx, { first: today, earliestStart: earliest?.start })
  const target = calendar.targetOf(today) ?? 0
  const midnight = startOfDay(today)
  const seconds = entries.reduce((sum, { start, end }) => {
    const from = start < midnight ? midnight : start
    const to = end === null || end > ctx.now ? ctx.now : end
    return sum + Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000))
  }, 0)
  if (seconds >= target) return []
  const [tracked, whole] = [ctx.durations.format(seconds), ctx.durations.format(target)]
  const message = `Today's tracked time is ${tracked} of ${whole}.`
  return [{ kind: 'below_target', message, key: 'below_target' }]
}

/** Returns the entries of today and the running one. */
async function readToday(ctx: Context): Promise<Entry[]> {
  const today = dayOf(ctx.now)
  const reader = await ctx.entries()
  const entries = await reader.overlapping(timeOf({ first: today, last: today }))
  const running = await reader.running()
  // A running entry may be older than those that a service is searched for.
  return running && !entries.some(({ id }) => id === running.id) ? [...entries, running] : entries
}

function minuteOfDay(time: Date): number {
  return time.getHours() * 60 + time.getMinutes()
}

const title = 'tt'

/** Shows the text from the environment, so that no text is part of the script. */
const balloonScript = `
Add-Type -AssemblyName System.Windows.Forms
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(8000, '${title}', $env:TT_REMINDER, 'Info')
Start-Sleep 8
$icon.Dispose()`

/** Returns the program and arguments that show a notification on a platform. The text is an argument, never code. */
export function notificationCommand(
  platform: NodeJS.Platform,
  text: string,
): { program: string; args: string[] } {
  if (platform === 'darwin') {
    const script = ['on run argv', 'display notification (item 1 of argv) with title "tt"', 'end run']
    return { program: 'osascript', args: [...script.flatMap((line) => ['-e', line]), '--', text] }
  }
  if (platform === 'win32')
    return { program: 'powershell.exe', args: ['-NoProfile', '-NonInteractive', '-Command', balloonScript] }
  // The body may contain markup (Desktop Notifications Specification, "Markup").
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=tt', '--', title, body] }
}

/**
 * Shows a notification. Returns false if no program can.
 *
 * @param timeLimitMs time limit for the program, in milliseconds
 */
export function notify(text: string, env: Environment, timeLimitMs = 15_000): Promise<boolean> {
  const { program, args } = notificationCommand(process.platform, text)
  const options = {
    ...{ env: { ...env, TT_REMINDER: text }, windowsHide: true },
    ...{ timeout: timeLimitMs, killSignal: 'SIGKILL' as const },
  }
  return new Promise((resolve) => {
    execFile(program, args, options, (error) => resolve(error === null))
  })
}
