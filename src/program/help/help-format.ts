import type { Help, Option } from 'commander'
import { capitalize } from '../../lib/text/capitalize.js'
import type { ProgramCommand } from '../command-tree.js'
import { type Declaration, type Note, operandsOf } from '../declaration.js'
import { wrap } from './topic-text.js'

/**
 * Returns the help of a command: its subcommands before its options, the common options after these, notes and examples at
 * the end.
 */
export function formatHelp(command: ProgramCommand, help: Help): string {
  const { declaration } = command
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
    ...(declaration ? endOfHelp(declaration) : []),
  ].join('\n')
}

/** Returns the name of a subcommand with its arguments. */
export function subcommandTerm(command: ProgramCommand): string {
  return [command.name(), ...(command.declaration ? operandsOf(command.declaration) : [])].join(' ')
}

function description(command: ProgramCommand): string {
  const sentence = `${capitalize(command.description())}.`
  const { defaultCommand } = command
  return defaultCommand ? `${sentence} Without a command, runs \`${defaultCommand.path}\`.` : sentence
}

/** Returns the lines of notes and examples. */
function endOfHelp({ notes = [], examples = [] }: Declaration): string[] {
  return [
    ...notes.flatMap((note) => [noteText(note), '']),
    ...(examples.length > 0 ? ['Examples:', ...examples.map((line) => `  $ ${line}`), ''] : []),
  ]
}

function noteText(note: Note): string {
  if (typeof note === 'string') return wrap(note, 0)
  const width = Math.max(...note.rows.map(({ term }) => term.length)) + 2
  const lines = note.rows.flatMap(({ term, meaning, detail }) => [
    `  ${term.padEnd(width)}${meaning}`,
    ...(detail === undefined ? [] : [`  ${' '.repeat(width)}${detail}`]),
  ])
  return [`${note.title}:`, ...lines].join('\n')
}
