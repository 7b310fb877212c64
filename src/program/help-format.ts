import type { Command, Help, Option } from 'commander'
import { capitalize } from '../lib/text/capitalize.js'
import { defaultCommand } from './lazy-commands.js'

/** Returns the help of a command: its subcommands before its options, and the common options last. */
export function formatHelp(command: Command, help: Help): string {
  const width = help.padWidth(command, help)
  const section = (title: string, rows: readonly (readonly [term: string, text: string])[]) =>
    help.formatItemList(
      title,
      rows.map(([term, text]) => help.formatItem(term, width, text, help)),
      help,
    )
  const options = help.groupItems(
    [...command.options],
    help.visibleOptions(command),
    (option: Option) => option.helpGroupHeading ?? 'Options:',
  )
  return [
    ...[description(command), ''],
    ...[`Usage: ${help.commandUsage(command)}`, ''],
    ...section(
      'Arguments:',
      help
        .visibleArguments(command)
        .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ),
    ...section(
      'Commands:',
      command.commands.map((child) => [help.subcommandTerm(child), help.subcommandDescription(child)]),
    ),
    ...[...options].flatMap(([title, members]) =>
      section(
        title,
        members.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
      ),
    ),
  ].join('\n')
}

function description(command: Command): string {
  const text = command.description()
  const sentence = `${capitalize(text)}.`
  const implied = defaultCommand(command)
  return implied
    ? `${sentence} Without a command, runs \`tt ${command.name()} ${implied.name()}\`.`
    : sentence
}
