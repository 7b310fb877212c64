import type { Help, Option } from 'commander'
import { commonTitle, formatOptions } from '../../cli/common-options.js'
import { type Declaration, isGroup, type Note, operandsOf, ownOptionGroups } from '../../cli/declaration.js'
import { capitalize } from '../../lib/text/words.js'
import type { ProgramCommand } from '../command-tree.js'
import { wrap } from './topic-text.js'

type Row = readonly [term: string, text: string]

/**
 * Returns the help of a command: its subcommands before its options, notes and examples at the end. The options of formats
 * and of every command are only named.
 */
export function formatHelp(command: ProgramCommand, help: Help): string {
  const sections = helpSections(command, help)
  const width = Math.max(0, ...sections.flatMap(({ rows }) => rows.map(([term]) => term.length)))
  const texts = sections.flatMap(({ title, rows }) =>
    help.formatItemList(
      title,
      rows.map(([term, text]) => help.formatItem(term, width, text, help)),
      help,
    ),
  )
  const { declaration } = command
  return [
    ...[description(command), ''],
    ...[`Usage: ${help.commandUsage(command)}`, ''],
    ...texts,
    ...(declaration ? [...namedOptions(command, declaration), ...endOfHelp(declaration)] : []),
  ].join('\n')
}

function helpSections(command: ProgramCommand, help: Help): { title: string; rows: Row[] }[] {
  const groups = help.groupItems(
    [...command.options],
    help.visibleOptions(command).filter((option) => isDescribed(option, command.declaration)),
    (option: Option) => option.helpGroupHeading ?? 'Options:',
  )
  const args = help
    .visibleArguments(command)
    .map((argument): Row => [help.argumentTerm(argument), help.argumentDescription(argument)])
  const commands = command.commands.map(
    (child): Row => [help.subcommandTerm(child), help.subcommandDescription(child)],
  )
  return [
    { title: 'Arguments:', rows: args },
    { title: 'Commands:', rows: commands },
    ...[...groups].map(([title, options]) => ({
      title: headingOf(title, options, command.declaration),
      rows: options.map((option): Row => [help.optionTerm(option), help.optionDescription(option)]),
    })),
  ].filter(({ rows }) => rows.length > 0)
}

/** Whether an option has a line of its own: not those of formats and of every command. */
function isDescribed({ flags, helpGroupHeading }: Option, declaration: Declaration | undefined): boolean {
  if (helpGroupHeading === `${commonTitle}:`) return false
  return !(hasFormats(declaration) && Object.hasOwn(formatOptions, flags))
}

function hasFormats(declaration: Declaration | undefined): boolean {
  return declaration !== undefined && !isGroup(declaration) && declaration.hasFormats === true
}

/** Returns the heading of options, which says once for all what `!` before a name does. */
function headingOf(title: string, options: readonly Option[], declaration: Declaration | undefined): string {
  const declared =
    declaration && !isGroup(declaration) ? ownOptionGroups(declaration).flatMap((group) => group.options) : []
  const canExclude = options.some(({ flags }) => declared.find((one) => one.flags === flags)?.canExclude)
  return canExclude ? `${title.slice(0, -1)} (names are repeatable; !NAME excludes):` : title
}

/** Returns lines with the names of the options of formats and of every command; none for a group. */
function namedOptions({ options }: ProgramCommand, declaration: Declaration): string[] {
  if (isGroup(declaration)) return []
  const common = options.filter(({ helpGroupHeading }) => helpGroupHeading === `${commonTitle}:`)
  const names = (flags: readonly string[]) => flags.map((each) => each.split(/[ ,]/, 1)[0]).join(' ')
  return [
    ...(hasFormats(declaration)
      ? [`Formats (see \`tt help output\`): ${names(Object.keys(formatOptions))}`]
      : []),
    `${commonTitle} (see \`tt help options\`):`,
    `  ${names(common.map(({ flags }) => flags))}`,
    '',
  ]
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
