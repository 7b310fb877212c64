import { weekdayNames } from '../../lib/calendar/calendar-names.js'
import type { Weekday } from '../../lib/calendar/day.js'
import { TtError } from '../../lib/errors.js'
import { invoiceSettings } from './invoice-settings.js'
import {
  checkPattern,
  readAtLeast,
  readBranchPattern,
  readCurrency,
  readDay,
  readDays,
  readDurationFormat,
  readHours,
  readLines,
  readName,
  readOneOf,
  readPath,
  readPatterns,
  readRate,
  readRounding,
  readTarget,
  readTaskPath,
  readTimeOfDay,
  readWeekday,
  readWeekdays,
  type TargetSettings,
  targetsOf,
} from './setting-values.js'
import {
  defaultSettings,
  minEntryLimitSeconds,
  minSleepLimitSeconds,
  type Settings,
  sendSettings,
} from './settings.js'

/** A setting. Help, documentation and validation use this definition. */
export interface Setting {
  /** A word in capitals is a placeholder: `rate.PATTERN`, `client.NAME.street`. */
  name: string
  /** The kind of value, in one or two words. A restore asks before it changes a `path` or a `command`. */
  type: string
  /** The default as the user would type it; null if there is none. */
  default: string | null
  description: string
  /** A valid value. */
  example: string
  /** Parses the text into the draft; `part` replaces the placeholder of the name. Throws TtError `usage`. */
  read(text: string, draft: SettingsDraft, part: string): void
}

/** Settings under construction. */
export type SettingsDraft = { -readonly [Name in keyof Settings]: Settings[Name] } & {
  targetSettings: TargetSettings
}

const daySeconds = 24 * 3600

export const settingTable: readonly Setting[] = [
  {
    name: 'week_start',
    type: 'weekday',
    default: 'monday',
    description: 'first day of the week',
    example: 'sunday',
    read(text, draft) {
      draft.weekStart = readWeekday(text)
    },
  },
  {
    name: 'working_days',
    type: 'weekdays',
    default: 'mon,tue,wed,thu,fri',
    description: 'working days of the week',
    example: 'mon,tue,wed,thu',
    read(text, draft) {
      draft.workingDays = readWeekdays(text)
    },
  },
  {
    name: 'working_hours',
    type: 'times of day',
    default: '9:00-17:00',
    description: 'working hours, for `tt check` and `tt fill` ("none" to find no gaps)',
    example: '9:00-12:00,13:00-17:00',
    read(text, draft) {
      draft.workingHours = readHours(text)
    },
  },
  {
    name: 'target.daily',
    type: 'duration',
    default: null,
    description: 'target for each working day',
    example: '8h',
    read(text, draft) {
      draft.targetSettings.daily = readTarget(text, daySeconds, 'a day')
    },
  },
  {
    name: 'target.weekly',
    type: 'duration',
    default: null,
    description: 'target for each week, divided among the working days without a target of their own',
    example: '38.5h',
    read(text, draft) {
      draft.targetSettings.weekly = readTarget(text, 7 * daySeconds, 'a week')
    },
  },
  ...([1, 2, 3, 4, 5, 6, 0] as const).map(targetOfDay),
  {
    name: 'target.since',
    type: 'day',
    default: null,
    description: 'first day that targets count from (default: the first day with an entry)',
    example: '2024-05-01',
    read(text, into) {
      into.targetSince = readDay(text)
    },
  },
  {
    name: 'holidays',
    type: 'days',
    default: null,
    description: 'days without work: dates and ranges (first..last)',
    example: '2024-05-01,2024-12-24..2025-01-01',
    read(text, draft) {
      draft.holidays = { ...draft.holidays, days: readDays(text) }
    },
  },
  {
    name: 'holidays_file',
    type: 'path',
    default: null,
    description: 'iCalendar file with more holidays (~ is your home directory)',
    example: '~/holidays.ics',
    read(text, draft) {
      draft.holidays = { ...draft.holidays, file: readPath(text) }
    },
  },
  {
    name: 'entry_limit',
    type: 'duration',
    default: '10h',
    description: 'duration after which a timer counts as forgotten (at least 1h)',
    example: '12h',
    read(text, draft) {
      draft.entryLimitSeconds = readAtLeast(text, minEntryLimitSeconds, 'an hour')
    },
  },
  {
    name: 'sleep_limit',
    type: 'duration',
    default: '30m',
    description: 'sleep of this machine after which the end of a running timer is in doubt (at least 1m)',
    example: '1h',
    read(text, draft) {
      draft.sleepLimitSeconds = readAtLeast(text, minSleepLimitSeconds, 'a minute')
    },
  },
  {
    name: 'remind.tracked_by',
    type: 'time of day',
    default: '10:00',
    description: 'time by which `tt remind` expects tracked time on a working day ("none" for no reminder)',
    example: '9:30',
    read(text, draft) {
      draft.remindTrackedBy = readTimeOfDay(text)
    },
  },
  {
    name: 'remind.target_at',
    type: 'time of day',
    default: '18:00',
    description: 'time from which `tt remind` reports a day below its target ("none" for no reminder)',
    example: '17:30',
    read(text, draft) {
      draft.remindTargetAt = readTimeOfDay(text)
    },
  },
  {
    name: 'duration_format',
    type: 'duration format',
    default: null,
    description: 'how 84 minutes are displayed: 1h 24m (default), 1:24 or 1.40 (JSON has seconds)',
    example: '1:24',
    read(text, draft) {
      draft.durationFormat = readDurationFormat(text)
    },
  },
  {
    name: 'currency',
    type: 'ISO 4217 currency code',
    default: null,
    description: 'currency of rates without a currency (default: the currency of the company)',
    example: 'CHF',
    read(text, draft) {
      draft.currency = readCurrency(text)
    },
  },
  {
    name: 'rate',
    type: 'hourly rate',
    default: null,
    description: 'default hourly rate ("none": time without a rate of its own is not billable)',
    example: '95',
    read(text, draft) {
      draft.rates = { ...draft.rates, '*': readRate(text) }
    },
  },
  {
    name: 'rate.PATTERN',
    type: 'hourly rate',
    default: null,
    description:
      'hourly rate of a client, project or task: rate.Acme, rate.Acme/Website, rate./Website (without a client), rate.*/*/Design ("none": not billable)',
    example: '95.50 EUR',
    read(text, draft, pattern) {
      checkPattern(pattern)
      if (pattern.trim() === '*') throw new TtError('usage', 'The default hourly rate is the setting "rate".')
      draft.rates = { ...draft.rates, [pattern]: readRate(text) }
    },
  },
  {
    name: 'round.PATTERN',
    type: 'rounding',
    default: null,
    description:
      'rounding of each entry of a client, project or task in reports, unless --round is given: 15m (nearest), 6m:up, 1h:down ("none": not rounded)',
    example: '15m:up',
    read(text, draft, pattern) {
      checkPattern(pattern)
      draft.roundings = { ...draft.roundings, [pattern]: readRounding(text) }
    },
  },
  {
    name: 'billable',
    type: 'patterns',
    default: null,
    description:
      'patterns of billable clients, projects and tasks; prefix with ! to exclude (default: everything with a client or a rate)',
    example: 'Acme,!Acme/Internal',
    read(text, draft) {
      draft.billable = readPatterns(text)
    },
  },
  {
    name: 'sender',
    type: 'text',
    default: null,
    description:
      'sender shown on HTML and PDF reports: name and address, with \\n between lines (default: the name of the company, if it has one)',
    example: 'Ada Lovelace\\n12 Analytical St\\nLondon',
    read(text, draft) {
      draft.sender = readLines(text)
    },
  },
  {
    name: 'notes_from_branch',
    type: 'regular expression',
    default: null,
    description:
      'regular expression for the git branch name; its capture group becomes the notes of a new timer (if there are several, the group named notes)',
    example: '^(?:feature|fix)/([A-Z]+-\\d+)',
    read(text, draft) {
      draft.notesFromBranch = readBranchPattern(text)
    },
  },
  {
    name: 'default_task',
    type: 'name',
    default: 'General',
    description:
      'task of a project that is given without a task, as in `tt start Website` and in imported files',
    example: 'Work',
    read(text, draft) {
      draft.defaultTask = readName(text)
    },
  },
  {
    name: 'import.task',
    type: 'task',
    default: null,
    description:
      'task of entries without one in `tt import`, instead of `default_task`: Task, or Project/Task for entries that have no project either',
    example: 'Website/Design',
    read(text, draft) {
      draft.importTask = readTaskPath(text)
    },
  },
  {
    name: 'prompt_file',
    type: 'path',
    default: null,
    description:
      'file with the running timer for shell prompts (default: a file in the state directory; "none" for no file)',
    example: '~/.tt-timer',
    read(text, draft) {
      draft.promptFile = text === 'none' ? text : readPath(text)
    },
  },
  {
    name: 'send',
    type: 'auto or wait',
    default: 'auto',
    description:
      'when commands in a terminal send changes to a service: auto returns at once and sends in the background, wait waits for the service',
    example: 'wait',
    read(text, draft) {
      draft.send = readOneOf(text, sendSettings)
    },
  },
  ...invoiceSettings,
]

function targetOfDay(day: Weekday): Setting {
  const name = weekdayNames[day]
  return {
    name: `target.${name.toLowerCase()}`,
    type: 'duration',
    default: null,
    description: `target for ${name}s (overrides target.daily; "none" for no target)`,
    example: '6h',
    read(text, draft) {
      draft.targetSettings.days[day] = readTarget(text, daySeconds, 'a day')
    },
  }
}

/** The beginnings of settings whose name ends with a pattern of client/project/task: `rate.`, `round.`. */
export const patternPrefixes: readonly string[] = settingTable.flatMap(({ name }) =>
  name.endsWith('PATTERN') ? name.slice(0, -'PATTERN'.length) : [],
)

/** The placeholder in the name of a family of settings. */
export const placeholder = /PATTERN|NAME/

/** Returns the setting of that name and the part that replaces its placeholder; undefined for an unknown name. */
export function settingNamed(name: string): { setting: Setting; part: string } | undefined {
  for (const setting of settingTable) {
    const [beginning = '', ending] = setting.name.split(placeholder)
    if (ending === undefined) {
      if (name === setting.name) return { setting, part: '' }
      continue
    }
    const part = name.slice(beginning.length, name.length - ending.length)
    const hasPart = part !== '' || ending === ''
    if (name.startsWith(beginning) && name.endsWith(ending) && hasPart) return { setting, part }
  }
  return undefined
}

/** Whether the setting makes `tt` read or write a file of the user, or run a program. */
export function isPathOrCommand(name: string): boolean {
  return ['path', 'command'].includes(settingNamed(name)?.setting.type ?? '')
}

/** Throws TtError `usage` for a value that the setting does not accept. */
export function checkSetting(name: string, value: unknown) {
  applySetting(newDraft(), name, value, false)
}

/**
 * Returns the settings for these values, as typed by the user, with defaults for the rest.
 *
 * Throws TtError `usage` for an unknown name, an invalid value and values that contradict each other.
 */
export function settingsFrom(values: Readonly<Record<string, unknown>>): Settings {
  const draft = newDraft()
  for (const [name, value] of Object.entries(values)) applySetting(draft, name, value, true)
  const { targetSettings: draftTargets, ...settings } = draft
  return { ...settings, targets: targetsOf(draftTargets, settings.workingDays) }
}

function newDraft(): SettingsDraft {
  return { ...defaultSettings, targetSettings: { days: {} } }
}

/** @param isStored whether the value is in the settings file, so that removing it is an option */
function applySetting(draft: SettingsDraft, name: string, value: unknown, isStored: boolean) {
  const found = settingNamed(name)
  if (!found) {
    throw new TtError('usage', `"${name}" is not a setting of this version of tt.`, {
      nextStep: { action: 'correct_setting', setting: name, isStored },
    })
  }
  const { setting, part } = found
  const example = {
    setting: setting.name.replace('PATTERN', 'Acme/Website').replace('NAME', 'Acme'),
    value: setting.example,
  }
  const nextStep = { action: 'correct_setting' as const, setting: name, example, isStored }
  if (typeof value !== 'string') throw new TtError('usage', `${name} is not a string.`, { nextStep })
  try {
    setting.read(value, draft, part)
  } catch (cause) {
    if (!(cause instanceof TtError)) throw cause
    throw new TtError('usage', `${name}: ${cause.message}`, { nextStep, cause })
  }
}
