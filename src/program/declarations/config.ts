import type { Command } from 'commander'
import { settingTable } from '../../config/settings/setting-table.js'
import { command, examples, type LazyAction, listCommand } from '../lazy-commands.js'

/** `tt config` and the words under it. */
export function declareConfig(config: Command, lazily: LazyAction) {
  const load = () => import('../../commands/config.js')
  config.addHelpText('after', () => settings())
  config.addHelpText(
    'after',
    examples('tt config', 'tt config set target.daily 8h', 'tt config unset target.daily'),
  )
  listCommand(
    config,
    'list',
    'list all settings with their values and defaults',
    (command) =>
      command
        .option('--origin', 'show the origin of each value')
        .addHelpText(
          'after',
          examples(
            'tt config list',
            'tt config list --origin',
            'tt config list --fields name,type,default,example',
          ),
        )
        .action(lazily(async () => (await load()).list)),
    true,
  )
  command(config, 'get', 'print the value of a setting; nothing if it has none', (command) =>
    command
      .argument('<name>', 'name of the setting')
      .addHelpText('after', examples('tt config get week_start', 'tt config get rate.Acme'))
      .action(lazily(async () => (await load()).get)),
  )
  command(config, 'set', 'check a value and keep it', (command) =>
    command
      .argument('<name>', 'name of the setting')
      .argument('<value>', 'its value; names and values are listed below')
      .addHelpText('after', () => settings())
      .addHelpText(
        'after',
        examples(
          'tt config set week_start sunday',
          'tt config set working_hours 9:00-12:00,13:00-17:00',
          'tt config set rate.Acme/Website "95.50 EUR"',
        ),
      )
      .action(lazily(async () => (await load()).set)),
  )
  command(config, 'unset', 'remove a value: the default counts again', (command) =>
    command
      .argument('<name>', 'a setting, or whatever else the file has')
      .addHelpText('after', examples('tt config unset target.daily', 'tt config unset rate.Acme'))
      .action(lazily(async () => (await load()).unset)),
  )
  command(config, 'path', 'print the path of the settings file', (command) =>
    command
      .option('--prompt', 'print the path of the prompt file instead (the running timer for shell prompts)')
      .addHelpText('after', examples('tt config path', 'tt config path --prompt'))
      .action(lazily(async () => (await load()).path)),
  )
}

/** The table of settings, for the help. */
function settings(): string {
  const width = Math.max(...settingTable.map(({ name }) => name.length)) + 2
  const lines = settingTable.map(
    ({ name, type, description, example }) =>
      `  ${name.padEnd(width)}${description}\n  ${' '.repeat(width)}${type}, such as ${example}`,
  )
  return `\nSettings:\n${lines.join('\n')}`
}
