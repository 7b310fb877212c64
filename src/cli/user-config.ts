import type { Day } from '../calendar/day.js'
import { DurationDisplay, durationFormats } from '../calendar/duration-display.js'
import { type DirectoryFile, readDirectoryFile } from '../config/directory-file.js'
import { type Paths, pathsFor } from '../config/paths.js'
import { type Profile, selectProfile } from '../config/profile.js'
import type { Settings } from '../config/settings/settings.js'
import { storedValues } from '../config/settings/stored-values.js'
import { TtError } from '../lib/errors.js'
import type { WorkCalendar } from '../report/work-calendar.js'
import type { Host } from './host.js'
import type { CommonOptions, Terminal } from './terminal.js'

export interface UserConfigParts {
  host: Host
  options: CommonOptions
  terminal: Terminal
  /** Whether to warn and use the default settings when `config.json` cannot be read, instead of failing. */
  allowsUnreadableSettings: boolean
}

/** The configuration of the user for a command: profile, directory file, settings and paths, each read on first use. */
export class UserConfig {
  readonly #host: Host
  readonly #options: CommonOptions
  readonly #terminal: Terminal
  readonly #allowsUnreadableSettings: boolean
  #profile: Profile | undefined
  #directory: DirectoryFile | undefined | null = null
  #settings: Promise<Settings> | undefined
  #storedValues: { values: Record<string, unknown> | undefined } | undefined
  #workCalendar: Promise<WorkCalendar> | undefined
  #durations: DurationDisplay | undefined

  constructor({ host, options, terminal, allowsUnreadableSettings }: UserConfigParts) {
    this.#host = host
    this.#options = options
    this.#terminal = terminal
    this.#allowsUnreadableSettings = allowsUnreadableSettings
  }

  /** The selected profile. Throws TtError like `selectProfile`. */
  get profile(): Profile {
    this.#profile ??= selectProfile(this.#host.env, this.#options.profile, () =>
      this.fromDirectory('profile'),
    )
    return this.#profile
  }

  /** The directory file of the working directory; undefined if there is none. Warns about ignored files and values. */
  get directory(): DirectoryFile | undefined {
    if (this.#directory === null) {
      const cwd = this.#host.cwd()
      this.#directory = cwd === undefined ? undefined : readDirectoryFile(cwd)
      const { path, problem, ignored = [] } = this.#directory ?? {}
      if (problem !== undefined) this.#terminal.warn(`Ignored ${path}: it ${problem}.`)
      if (ignored.length > 0)
        this.#terminal.warn(
          `Ignored in ${path}: ${ignored.join(', ')}. Only profile, task and notes are read there.`,
        )
    }
    return this.#directory
  }

  /** Returns the directory file, and prints its path if it supplies any of these values. */
  fromDirectory(...names: ('profile' | 'task' | 'notes')[]): DirectoryFile | undefined {
    const { directory } = this
    const supplied = names.filter((name) => directory?.[name] !== undefined)
    // A line of a template is often part of a shell prompt, so nothing else is printed.
    if (supplied.length > 0 && this.#options.template === undefined)
      this.#terminal.warn(`Using ${supplied.join(' and ')} from ${directory?.path}.`)
    return directory
  }

  /** Returns the settings of the user. Throws TtError `usage` like `readSettings`. */
  settings(): Promise<Settings> {
    this.#settings ??= this.#readSettings()
    return this.#settings
  }

  /**
   * Returns one value of `config.json` without checks, because short commands do not load the table of settings. Throws
   * like `settings`.
   */
  async uncheckedSetting(name: 'notes_from_branch' | 'prompt_file'): Promise<unknown> {
    return this.#readStoredValues()?.[name]
  }

  /**
   * How durations are displayed, by the setting `duration_format`. It is read without checks and warnings, also for the
   * line of a shell prompt: the default applies where it cannot be read.
   */
  get durations(): DurationDisplay {
    this.#durations ??= DurationDisplay.of(this.#readDurationFormat())
    return this.#durations
  }

  /** Returns working days and targets from the settings. Throws TtError `usage` like `settings` and `readHolidays`. */
  workCalendar(): Promise<WorkCalendar> {
    this.#workCalendar ??= this.#createWorkCalendar()
    return this.#workCalendar
  }

  /** The paths of the files of `tt`. */
  get paths(): Paths {
    return pathsFor(this.#host.env)
  }

  async #readSettings(): Promise<Settings> {
    const values = this.#readStoredValues()
    const { readSettings } = await import('../config/settings/settings-file.js')
    return readSettings(this.paths, () => values)
  }

  #readStoredValues(): Record<string, unknown> | undefined {
    this.#storedValues ??= { values: this.#readSettingsFile() }
    return this.#storedValues.values
  }

  #readSettingsFile(): Record<string, unknown> | undefined {
    try {
      return storedValues(this.paths)
    } catch (error) {
      if (!this.#allowsUnreadableSettings || !(error instanceof TtError)) throw error
      this.#terminal.warn(`${error.message} The default settings are used.`)
      return undefined
    }
  }

  #readDurationFormat(): (typeof durationFormats)[number] {
    try {
      const { values } = this.#storedValues ?? { values: storedValues(this.paths) }
      return durationFormats.find((format) => format === values?.duration_format) ?? durationFormats[0]
    } catch (error) {
      if (error instanceof TtError) return durationFormats[0]
      throw error
    }
  }

  async #createWorkCalendar(): Promise<WorkCalendar> {
    const { holidays, ...settings } = await this.settings()
    const { workCalendar } = await import('../report/work-calendar.js')
    const listed = new Set(holidays.days)
    if (holidays.file === undefined) return workCalendar({ ...settings, holidays: listed })
    const { readHolidays } = await import('../config/settings/holidays.js')
    const fromFile = await readHolidays(holidays.file, this.#host.env)
    const has = (day: Day) => listed.has(day) || fromFile.has(day)
    return workCalendar({ ...settings, holidays: { has } })
  }
}
