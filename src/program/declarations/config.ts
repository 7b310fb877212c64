import type { Command } from 'commander'
import { settingTable } from '../../config/settings/setting-table.js'
import { summaries } from '../command-list.js'
import { command, commandGroup, type LazyAction, listCommand } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt config`. */
export function declareConfig(program: Command, lazyAction: LazyAction) {
  commandGroup(program, 'config', summaries.config, (command) => declareCommands(command, lazyAction))
}

function declareCommands(config: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/config.js')
  config.addHelpText('after', () => settingsTable())
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
        .action(lazyAction(async () => (await load()).list)),
    true,
  )
  command(config, 'get', 'print the value of a setting, if it has one', (command) =>
    command
      .argument('<name>', 'name of the setting')
      .addHelpText('after', examples('tt config get week_start', 'tt config get rate.Acme'))
      .action(lazyAction(async () => (await load()).get)),
  )
  command(config, 'set', 'set the value of a setting', (command) =>
    command
      .argument('<name>', 'name of the setting')
      .argument('<value>', 'value of the setting (see `tt help config`)')
      .addHelpText('after', () => settingsTable())
      .addHelpText(
        'after',
        examples(
          'tt config set week_start sunday',
          'tt config set working_hours 9:00-12:00,13:00-17:00',
          'tt config set rate.Acme/Website "95.50 EUR"',
        ),
      )
      .action(lazyAction(async () => (await load()).set)),
  )
  command(config, 'unset', 'reset a setting to its default', (command) =>
    command
      .argument('<name>', 'name of the setting, or of an unknown key in the settings file')
      .addHelpText('after', examples('tt config unset target.daily', 'tt config unset rate.Acme'))
      .action(lazyAction(async () => (await load()).unset)),
  )
  command(config, 'path', 'print the path of the settings file', (command) =>
    command
      .option(
        '--prompt',
        'print the path of the prompt file (read by shell prompts) instead of the settings file',
      )
      .addHelpText('after', examples('tt config path', 'tt config path --prompt'))
      .action(lazyAction(async () => (await load()).path)),
  )
}

/** Returns the table of settings for help. */
function settingsTable(): string {
  const width = Math.max(...settingTable.map(({ name }) => name.length)) + 2
  const lines = settingTable.map(
    ({ name, type, description, example }) =>
      `  ${name.padEnd(width)}${description}\n  ${' '.repeat(width)}${type}, such as ${example}`,
  )
  return `\nSettings:\n${lines.join('\n')}`
}
