import { commandsIn, defineCommand, defineGroup, type Note } from '../../cli/declaration.js'
import { settingTable } from '../../config/settings/setting-table.js'
import { summaries } from '../command-list.js'

const config = commandsIn(() => import('../../commands/config.js'))

const settings: Note = {
  title: 'Settings',
  rows: settingTable.map(({ name, type, description, example }) => ({
    term: name,
    meaning: description,
    detail: `${type}, such as ${example}`,
  })),
}

/** `tt config`. */
export const commands = {
  config: defineGroup({
    summary: summaries.config,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list all settings with their values and defaults',
        options: { '--origin': 'show the origin of each value' },
        hasFormats: true,
        examples: [
          'tt config list',
          'tt config list --origin',
          'tt config list --fields name,type,default,example',
        ],
        load: config('list'),
      }),
      get: defineCommand({
        summary: 'print the value of a setting, if it has one',
        args: { '<name>': 'name of the setting' },
        examples: ['tt config get week_start', 'tt config get rate.Acme'],
        load: config('get'),
      }),
      set: defineCommand({
        summary: 'set the value of a setting',
        args: {
          '<name>': 'name of the setting',
          '<value>': 'value of the setting (see `tt help config`)',
        },
        notes: [settings],
        examples: [
          'tt config set week_start sunday',
          'tt config set working_hours 9:00-12:00,13:00-17:00',
          'tt config set rate.Acme/Website "95.50 EUR"',
        ],
        load: config('set'),
      }),
      unset: defineCommand({
        summary: 'reset a setting to its default',
        args: { '<name>': 'name of the setting, or of an unknown key in the settings file' },
        examples: ['tt config unset target.daily', 'tt config unset rate.Acme'],
        load: config('unset'),
      }),
      path: defineCommand({
        summary: 'print the path of the settings file',
        options: {
          '--prompt':
            'print the path of the prompt file (read by shell prompts) instead of the settings file',
        },
        examples: ['tt config path', 'tt config path --prompt'],
        load: config('path'),
      }),
    },
    notes: [settings],
    examples: ['tt config', 'tt config set target.daily 8h', 'tt config unset target.daily'],
  }),
}
