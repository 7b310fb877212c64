import { join } from 'node:path'
import type { Weekday } from '../../lib/calendar/day.js'
import type { DurationFormat } from '../../lib/calendar/duration-display.js'
import type { Rounding } from '../../lib/calendar/rounding.js'
import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { ConfigFileError, readJsonFile } from '../config-file.js'
import type { Paths } from '../paths.js'

/** The settings of the user, with defaults for those that are not set. */
export interface Settings {
  /** The first day of the user's weeks. */
  weekStart: Weekday
  workingDays: readonly Weekday[]
  /** Ranges in minutes since midnight, in order and not adjacent. Without any, no gaps are reported. */
  workingHours: readonly { from: number; to: number }[]
  /** The target in seconds for each weekday, from Sunday; undefined if no target is set. */
  targets: readonly number[] | undefined
  /** The first day with a target (YYYY-MM-DD); undefined for the first day with an entry. */
  targetSince: string | undefined
  /** Days off (YYYY-MM-DD), and an iCalendar file with more of them. */
  holidays: { days: readonly string[]; file: string | undefined }
  /** The time in seconds after which a running timer was probably forgotten. */
  entryLimitSeconds: number
  /** The time in seconds that a machine may sleep while a timer runs before its end is in doubt. */
  sleepLimitSeconds: number
  /** The minute of a working day by which time must be tracked; undefined for no reminder. */
  remindTrackedBy: number | undefined
  /** The minute of a day at which its target must be reached; undefined for no reminder. */
  remindTargetAt: number | undefined
  /** The format that the user chose for durations; undefined for the first of `durationFormats`. */
  durationFormat: DurationFormat | undefined
  /** The currency (ISO 4217) of rates without one; undefined for that of the company. */
  currency: string | undefined
  /** Hourly rates, "95" or "95.50 EUR", by their pattern of client/project/task; null for time that is not billable. */
  rates: Readonly<Record<string, string | null>>
  /** How entries are rounded in reports, by their pattern of client/project/task; null for not at all. */
  roundings: Readonly<Record<string, Rounding | null>>
  /** Patterns of client/project/task for billable entries; if undefined, entries with a client or a rate are billable. */
  billable: readonly string[] | undefined
  /** The lines that name the sender of reports; undefined for the name of the company. */
  sender: readonly string[] | undefined
  /** The pattern that extracts notes from the name of a git branch: see `branchNotes`. */
  notesFromBranch: RegExp | undefined
  /** The name of the task of a project that is typed or imported without a task. */
  defaultTask: string
  /** The task of imported entries without one, as the user typed it: Task, Project/Task or Client/Project/Task. */
  importTask: string | undefined
  /** The path of the prompt file; for `none` and undefined see `promptFilePath`. */
  promptFile: string | undefined
  /** Whether interactive commands send changes in the background, or wait for the service. */
  send: SendSetting
  /** The settings `invoice.NAME` by their names: `sender.street`. */
  invoice: Readonly<Record<string, string>> & { readonly number: string; readonly locale: string }
  /** The settings `client.CLIENT.NAME`, by client and name. */
  clients: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The values of the setting `send` and of TT_SEND. */
export const sendSettings = ['auto', 'wait'] as const
export type SendSetting = (typeof sendSettings)[number]

export const defaultSettings: Settings = {
  weekStart: 1,
  workingDays: [1, 2, 3, 4, 5],
  workingHours: [{ from: 9 * 60, to: 17 * 60 }],
  targets: undefined,
  targetSince: undefined,
  holidays: { days: [], file: undefined },
  entryLimitSeconds: 10 * 3600,
  sleepLimitSeconds: 30 * 60,
  remindTrackedBy: 10 * 60,
  remindTargetAt: 18 * 60,
  durationFormat: undefined,
  currency: undefined,
  rates: {},
  roundings: {},
  billable: undefined,
  sender: undefined,
  notesFromBranch: undefined,
  defaultTask: 'General',
  importTask: undefined,
  promptFile: undefined,
  send: 'auto',
  invoice: { number: '{year}-{n:3}', locale: 'en' },
  clients: {},
}

/** The minimum of the setting `entry_limit`. A timer that ran for less is not forgotten, whatever the setting is. */
export const minEntryLimitSeconds = 3600

/** The minimum of the setting `sleep_limit`. */
export const minSleepLimitSeconds = 60

/** Returns the path of the settings file: a JSON object with the text of each setting. */
export function settingsPath(paths: Paths): string {
  return join(paths.config, 'config.json')
}

/**
 * Returns the values of `config.json`, unchecked; undefined if there is no file. Throws TtError `usage` for a file
 * that cannot be read (see `readConfigFile`) or is not a JSON object.
 */
export function storedValues(paths: Paths): Record<string, unknown> | undefined {
  const path = settingsPath(paths)
  try {
    const value = readJsonFile(path)
    if (value === undefined || isObject(value)) return value
    throw new ConfigFileError('is not a JSON object')
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    throw new TtError('usage', `The settings file ${path} ${error.message}.`, {
      hint: 'Correct it or move it away. It contains names and values, such as {"week_start": "sunday"}.',
      cause: error,
    })
  }
}
