import { basename } from 'node:path'
import { isForeignPromptFile } from '../cli/context/prompt-file.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { expandHome, promptFilePath, promptRecordPath } from '../config/paths.js'
import { readHolidays } from '../config/settings/holidays.js'
import {
  checkSetting,
  type Setting,
  settingNamed,
  settingsFrom,
  settingTable,
} from '../config/settings/setting-table.js'
import {
  changeValues,
  prefixError,
  readSettings,
  settingsPath,
  storedValues,
} from '../config/settings/settings-file.js'
import { dayOf } from '../lib/calendar/day.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import type { commands } from '../program/declarations/config.js'
import type { SettingJson } from '../records/shapes/accounts.js'
import type { Style, View } from '../ui/view.js'
import { checkPatternSetting } from './shared/unmatched-patterns.js'
import { recordView } from './views/record.js'

/** A setting with its current value. */
type SettingRecord = SettingJson

/** @param origins the text about precedence, shown with the origin column; undefined without --origin */
function settingView(origins: string | undefined): View<SettingRecord> {
  return {
    columns: [
      { key: 'name', title: 'Name' },
      { key: 'value', title: 'Value', canWrap: true },
      ...(origins === undefined ? [] : [{ key: 'origin', title: 'Origin', text: originText }]),
      { key: 'description', title: 'Description', canShrink: true, isMinor: true },
    ],
    json: (row) => ({ ...row }),
    footer: () => origins,
    empty: 'No settings.',
  }
}

/** Returns the name of the file: its path would take the space of the value. */
function originText({ origin }: SettingRecord): string {
  return basename(origin)
}

/** A view with only the value. */
const valueView: View<SettingRecord> = {
  columns: [{ key: 'value', title: 'Value' }],
  json: (row) => ({ ...row }),
  line: ({ value }) => value ?? '',
  empty: 'No value.',
}

type Commands = typeof commands.config.commands

type ListInput = Input<Commands['list']>

export const list = {
  view: (ctx: Context, _: SettingRecord[], { options }: ListInput) =>
    settingView(options.origin ? precedenceText(ctx) : undefined),
  async run(ctx: Context): Promise<SettingRecord[]> {
    const stored = await checkedValues(ctx)
    return settingTable.flatMap((setting) => {
      const names = Object.keys(stored).filter((name) => settingNamed(name)?.setting === setting)
      return (names.length > 0 ? names : [setting.name]).map((name) => recordOf(ctx, name, setting, stored))
    })
  },
}

export const get = {
  view: valueView,
  async run(ctx: Context, { args: { name } }: Input<Commands['get']>): Promise<SettingRecord> {
    return recordOf(ctx, name, requireSetting(name), await checkedValues(ctx))
  },
}

export const set = {
  view: valueView,
  messageReplacesValue: true,
  async run(ctx: Context, { args: { name, value } }: Input<Commands['set']>): Promise<SettingRecord> {
    const setting = requireSetting(name)
    checkSetting(name, value)
    // Validates the file now, not in the next report.
    if (name === 'prompt_file') checkPromptFile(ctx, value)
    if (name === 'holidays_file') (await readHolidays(value, ctx.host.env)).has(dayOf(ctx.now))
    await checkPatternSetting(ctx, name)
    await checkInvoiceSetting(ctx, name, value)
    const before = await changeValues(ctx.config.paths, (values) => {
      const old = recordOf(ctx, name, setting, values)
      values[name] = value
      try {
        settingsFrom(values)
      } catch (error) {
        throw prefixError(error, `It contradicts another setting in ${settingsPath(ctx.config.paths)}.`)
      }
      return old
    })
    ctx.terminal.message(`${name} is now ${value} (previously ${describeValue(before)}).`)
    return { ...before, value, origin: settingsPath(ctx.config.paths) }
  },
}

/** Throws TtError `usage` for a pattern of numbers, a first number or a logo that no invoice can have. */
async function checkInvoiceSetting({ config, host }: Context, name: string, value: string) {
  if (name === 'invoice.number')
    (await import('../report/invoice/numbers.js')).parseNumberPattern(value.trim())
  if (name === 'invoice.start') {
    const { checkNumber, parseNumberPattern } = await import('../report/invoice/numbers.js')
    checkNumber(value.trim())
    parseNumberPattern((await config.settings()).invoice.number).checkStart(value.trim())
  }
  if (name === 'invoice.logo')
    (await import('../report/invoice/logo.js')).readLogo(expandHome(value, host.env))
}

/** Throws TtError `usage` if there is a file at the path that `tt` has not written: it would never be updated. */
function checkPromptFile({ config, host }: Context, value: string) {
  const file = promptFilePath(config.paths, host.env, value)
  if (file === undefined || !isForeignPromptFile({ file, record: promptRecordPath(config.paths) })) return
  throw new TtError('usage', `${file} already exists, and tt did not write it.`, {
    hint: 'Choose a path where no file exists, or move that file away.',
  })
}

export const unset = {
  view: valueView,
  messageReplacesValue: true,
  async run(ctx: Context, { args: { name } }: Input<Commands['unset']>): Promise<SettingRecord | null> {
    // Removes unknown settings too, and does not validate the others, so that it can repair the file.
    if (!Object.hasOwn(storedValues(ctx.config.paths) ?? {}, name)) {
      const setting = requireSetting(name)
      ctx.terminal.message(`${name} is not set.`)
      return recordOf(ctx, name, setting, {})
    }
    const old = await changeValues(ctx.config.paths, (values) => {
      const value = values[name]
      delete values[name]
      return value
    })
    const was = typeof old === 'string' ? old : JSON.stringify(old)
    const setting = settingNamed(name)?.setting
    if (!setting) {
      ctx.terminal.message(`Removed ${name}, which was ${was}.`)
      return null
    }
    const now = recordOf(ctx, name, setting, {})
    const state = now.value === null ? 'no longer set' : `now ${describeValue(now)}`
    ctx.terminal.message(`${name} is ${state} (previously ${was}).`)
    return now
  },
}

export const path = {
  allowsUnreadableSettings: true,
  view: {
    ...recordView<{ path: string }>({ path: 'Path' }, 'No path.'),
    line: ({ path }: { path: string }, style: Style) => style.link?.(path, path) ?? path,
  },
  async run(ctx: Context, { options }: Input<Commands['path']>): Promise<{ path: string } | null> {
    if (!options.prompt) return { path: settingsPath(ctx.config.paths) }
    const path = promptFilePath(
      ctx.config.paths,
      ctx.host.env,
      await ctx.config.uncheckedSetting('prompt_file'),
    )
    if (path === undefined) ctx.terminal.message('No prompt file is written: prompt_file is set to "none".')
    return path === undefined ? null : { path }
  },
}

/** Returns the order of precedence (design, section 3, "Environment") and the sources that apply here. */
function precedenceText({ config }: Context): string {
  const { directory, profile, paths } = config
  const directoryValues = (['profile', 'task', 'notes'] as const).flatMap((name) =>
    directory?.[name] === undefined ? [] : `${name} ${JSON.stringify(directory[name])}`,
  )
  return [
    'Order of precedence: options, environment variables, the directory file .tt.json,',
    `these settings (${settingsPath(paths)}), defaults.`,
    directory && `${directory.path} sets ${directoryValues.join(', ') || 'nothing'}.`,
    `The current profile is "${profile.name}"; \`tt doctor\` shows the reason.`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** Returns the stored values after validating all of them. */
async function checkedValues(ctx: Context): Promise<Record<string, unknown>> {
  await readSettings(ctx.config.paths)
  return storedValues(ctx.config.paths) ?? {}
}

function recordOf(
  ctx: Context,
  name: string,
  setting: Setting,
  stored: Readonly<Record<string, unknown>>,
): SettingRecord {
  const { type, default: fallback, description, example } = setting
  const value = Object.hasOwn(stored, name) ? stored[name] : undefined
  return {
    name,
    value: typeof value === 'string' ? value : fallback,
    type,
    default: fallback,
    description,
    example,
    origin: value === undefined ? 'default' : settingsPath(ctx.config.paths),
  }
}

/** "sunday", "monday (the default)", or "not set". */
function describeValue({ value, origin }: SettingRecord): string {
  if (value === null) return 'not set'
  return origin === 'default' ? `${value}, the default` : value
}

/** Returns the setting of that name. Throws TtError `usage` with the nearest names for an unknown one. */
function requireSetting(name: string): Setting {
  const match = settingNamed(name)
  if (match && !['PATTERN', 'NAME'].includes(match.part)) return match.setting
  if (match?.part === 'NAME') {
    throw new TtError('usage', `Replace NAME in ${name} by a client.`, {
      hint: `Example: ${name.replace('NAME', 'Acme')}.`,
    })
  }
  if (match) {
    throw new TtError('usage', `Replace PATTERN in ${name} by a client, project or task.`, {
      hint: `Examples: ${['Acme', 'Acme/Website', '*/*/Design'].map((pattern) => name.replace('PATTERN', pattern)).join(', ')}.`,
    })
  }
  const names = settingTable.map((setting) => setting.name)
  throw new TtError('usage', `There is no setting "${name}".${nearestNamesText(name, names)}`, {
    candidates: nearestNames(name, names),
    hint: 'Run `tt config list` to list the settings.',
  })
}
