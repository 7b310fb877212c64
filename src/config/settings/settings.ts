import type { Weekday } from '../../calendar/day.js'

/** What the user has set, with the defaults for the rest. */
export interface Settings {
  /** The first day of the user's own weeks. */
  weekStart: Weekday
  workingDays: readonly Weekday[]
  /** In order and apart; minutes since midnight. None: no gaps are looked for. */
  workingHours: readonly { from: number; to: number }[]
  /** Seconds to be worked on each weekday, from Sunday; undefined where no target is set. */
  targets: readonly number[] | undefined
  /** Days (YYYY-MM-DD) that are no working days, and an iCalendar file with more of them. */
  holidays: { days: readonly string[]; file: string | undefined }
  /** A timer that runs for longer was probably forgotten; seconds. */
  longestEntrySeconds: number
  /** ISO 4217, of the rates that name none; undefined: that of the company. */
  currency: string | undefined
  /** Hourly rates, "95" or "95.50 EUR", by what they are for: a pattern of client/project/task. */
  rates: Readonly<Record<string, string>>
  /** What can be billed: patterns of client/project/task; undefined: whatever has a client. */
  billable: readonly string[] | undefined
  /** What of the name of a git branch are notes: see `notesOfBranch`. */
  notesFromBranch: RegExp | undefined
  /** Where the line for prompts is kept; `none`, or undefined: see `promptFilePath`. */
  promptFile: string | undefined
}

export const defaultSettings: Settings = {
  weekStart: 1,
  workingDays: [1, 2, 3, 4, 5],
  workingHours: [{ from: 9 * 60, to: 17 * 60 }],
  targets: undefined,
  holidays: { days: [], file: undefined },
  longestEntrySeconds: 10 * 3600,
  currency: undefined,
  rates: {},
  billable: undefined,
  notesFromBranch: undefined,
  promptFile: undefined,
}

/** The least that `entry_limit` can be: no timer that has run for less need be looked at. */
export const minEntryLimitSeconds = 3600
