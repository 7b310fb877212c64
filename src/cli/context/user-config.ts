import { type DirectoryFile, readDirectoryFile } from '../../config/directory-file.js'
import { type Paths, pathsFor } from '../../config/paths.js'
import { type Profile, selectProfile, statePathOf } from '../../config/profile.js'
import { type Settings, storedValues } from '../../config/settings/settings.js'
import type { Day } from '../../lib/calendar/day.js'
import { DurationDisplay, durationFormats } from '../../lib/calendar/duration-display.js'
import { TtError } from '../../lib/errors.js'
import { once } from '../../lib/once.js'
import type { WorkCalendar } from '../../report/work-calendar.js'
import type { Host } from '../host.js'
import type { CommonOptions, OutputOptions, Terminal } from './terminal.js'

export interface UserConfigParts {
  host: Host
  options: CommonOptions & OutputOptions
  terminal: Terminal
  /** Whether to warn and use the default settings when `config.json` cannot be read, instead of failing. */
  allowsUnreadableSettings: boolean
}

/** The configuration of the user for a command: profile, directory file, settings and paths, each read on first use. */
export class UserConfig {
  readonly #parts: UserConfigParts

  constructor(parts: UserConfigParts) {
    this.#parts = parts
  }

  /** The selected profile. Throws TtError like `selectProfile`. */
  get profile(): Profile {
    return this.#selectProfile()
  }

  /** The directory file of the working directory; undefined if there is none. Warns about ignored files and values. */
  get directory(): DirectoryFile | undefined {
    return this.#readDirectoryFile()
  }

  /** The paths of the files of `tt`. */
  get paths(): Paths {
    return pathsFor(this.#parts.host.env)
  }

  /** The path of the database of the profile. */
  get database(): string {
    return statePathOf(this.paths, this.profile.stateKey)
  }

  /**
   * How durations are displayed, by the setting `duration_format`. It is read without checks and warnings, also for the
   * line of a shell prompt: the default applies where it cannot be read.
   */
  get durations(): DurationDisplay {
    return this.#createDurationDisplay()
  }

  /** Returns the directory file, and prints its path if it supplies any of these values. */
  fromDirectory(...names: ('profile' | 'task' | 'notes')[]): DirectoryFile | undefined {
    const { directory } = this
    const { options, terminal } = this.#parts
    const supplied = names.filter((name) => directory?.[name] !== undefined)
    // A line of a template is often part of a shell prompt, so nothing else is printed.
    if (supplied.length > 0 && options.template === undefined)
      terminal.warn(`Using ${supplied.join(' and ')} from ${directory?.path}.`)
    return directory
  }

  /** Returns the settings of the user. Throws TtError `usage` like `readSettings`. */
  readonly settings = once(async (): Promise<Settings> => {
    const values = this.#storedValues()
    const { readSettings } = await import('../../config/settings/settings-file.js')
    return readSettings(this.paths, () => values)
  })

  /**
   * Returns one value of `config.json` without checks, because short commands do not load the table of settings. Throws
   * like `settings`.
   */
  async uncheckedSetting(
    name: 'default_task' | 'notes_from_branch' | 'prompt_file' | 'send',
  ): Promise<unknown> {
    return this.#storedValues()?.[name]
  }

  /** Returns working days and targets from the settings. Throws TtError `usage` like `settings` and `readHolidays`. */
  readonly workCalendar = once(async (): Promise<WorkCalendar> => {
    const { holidays, ...settings } = await this.settings()
    const { workCalendar } = await import('../../report/work-calendar.js')
    const listed = new Set(holidays.days)
    if (holidays.file === undefined) return workCalendar({ ...settings, holidays: listed })
    const { readHolidays } = await import('../../config/settings/holidays.js')
    const fromFile = await readHolidays(holidays.file, this.#parts.host.env)
    const has = (day: Day) => listed.has(day) || fromFile.has(day)
    return workCalendar({ ...settings, holidays: { has } })
  })

  readonly #selectProfile = once(() => {
    const { host, options } = this.#parts
    return selectProfile(host.env, options.profile, () => this.fromDirectory('profile'))
  })

  readonly #readDirectoryFile = once(() => {
    const { host, terminal } = this.#parts
    const cwd = host.cwd()
    const file = cwd === undefined ? undefined : readDirectoryFile(cwd)
    const { path, problem, ignored = [] } = file ?? {}
    if (problem !== undefined) terminal.warn(`Ignored ${path}: it ${problem}.`)
    if (ignored.length > 0)
      terminal.warn(`Ignored in ${path}: ${ignored.join(', ')}. Only profile, task and notes are read there.`)
    return file
  })

  readonly #createDurationDisplay = once(() => {
    const format = this.#readSettingsFile().values?.duration_format
    return DurationDisplay.of(durationFormats.find((known) => known === format) ?? durationFormats[0])
  })

  /** Returns the values of `config.json`. Throws TtError unless the command allows that it cannot be read. */
  readonly #storedValues = once(() => {
    const { values, error } = this.#readSettingsFile()
    if (error && !this.#parts.allowsUnreadableSettings) throw error
    if (error) this.#parts.terminal.warn(`${error.message} The default settings are used.`)
    return values
  })

  readonly #readSettingsFile = once((): { values?: Record<string, unknown> | undefined; error?: TtError } => {
    try {
      return { values: storedValues(this.paths) }
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      return { error }
    }
  })
}
