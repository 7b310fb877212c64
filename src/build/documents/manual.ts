import {
  type CommandDeclaration,
  type Declaration,
  descriptionOf,
  isGroup,
  type Note,
  type OptionGroup,
  optionGroupsOf,
  optionMeaning,
  usageOf,
} from '../../cli/declaration.js'
import { capitalize } from '../../lib/text/words.js'
import { version } from '../../lib/version.js'
import { programSummary } from '../../program/command-list.js'
import { type Part, topics } from '../../program/help/topics.js'
import {
  argumentsOf,
  type CommandSection,
  commandSections,
  type DeclaredCommand,
  leavesOf,
} from './declared-commands.js'
import { bold, code, item, paragraph, prose, section, subsection, usage, verbatim } from './roff.js'

/** Returns the man pages by their file names, made from the declarations: one for `tt`, and one for each command. */
export async function manualPages(): Promise<Record<string, string>> {
  const sections = await commandSections()
  const commands = sections.flatMap((section) => section.commands)
  const pages = commands.map((command) => [`${pageName(command)}.1`, commandPage(command)])
  return { 'tt.1': mainPage(sections), ...Object.fromEntries(pages) }
}

function mainPage(sections: readonly CommandSection[]): string {
  return page('tt', programSummary, [
    section('SYNOPSIS'),
    `${bold('tt')} [\\fIcommand\\fR] [\\fIoptions\\fR]`,
    section('DESCRIPTION'),
    paragraph(
      'tt stores your time in a workspace on this machine, or at a service that you sign in to with `tt login`. Changes made offline are saved locally and sent later.',
    ),
    paragraph('Without a command, tt shows the day: the timer, today, this week and the last tasks.'),
    paragraph(
      '`tt help` and `tt COMMAND --help` show shorter versions of these pages, `tt help --all` all commands.',
    ),
    section('COMMANDS'),
    ...sections.flatMap(({ heading, commands }) => [
      subsection(heading),
      ...commands.map((command) =>
        item(invocation(command), `${sentence(command.declaration)} See ${reference(command)}.`),
      ),
    ]),
    ...topics.flatMap(({ name, parts }) => [
      section(headings[name] ?? name.toUpperCase()),
      ...parts.map(topicPart),
    ]),
    section('SEE ALSO'),
    paragraph(`${sections.flatMap(({ commands }) => commands.map(reference)).join(', ')}.`),
  ])
}

const headings: Record<string, string> = {
  time: 'TIME, DURATION AND DATE',
  names: 'TASK AND ENTRY',
  'exit-codes': 'EXIT STATUS',
}

function commandPage(command: DeclaredCommand): string {
  const { declaration } = command
  return page(pageName(command), descriptionOf(declaration), [
    section('SYNOPSIS'),
    invocation(command),
    section('DESCRIPTION'),
    paragraph(sentence(declaration)),
    ...(declaration.notes ?? []).map(noteText),
    ...(isGroup(declaration) ? aboutGroup(command) : aboutCommand(declaration)),
    section('EXIT STATUS'),
    ...exitRows(),
    section('SEE ALSO'),
    paragraph('`tt`(1): syntax of times and names, output formats, environment variables and files.'),
  ])
}

function aboutCommand(declaration: CommandDeclaration): string[] {
  const args = argumentItems(declaration)
  return [
    ...(args.length > 0 ? [section('ARGUMENTS'), ...args] : []),
    section('OPTIONS'),
    ...optionItems(optionsOf(declaration)),
    section('EXAMPLES'),
    exampleLines(declaration),
  ]
}

/** Describes the commands of a group; their common options come once, at the end. */
function aboutGroup(group: DeclaredCommand): string[] {
  const leaves = leavesOf(group)
  const [first] = leaves
  const isCommon = ({ flags }: CommandOption) =>
    leaves.every(({ declaration }) => optionsOf(declaration).some((option) => option.flags === flags))
  return [
    section('COMMANDS'),
    ...leaves.flatMap((leaf) => [
      subsection(leaf.path),
      `.PP\n${invocation(leaf)}`,
      paragraph(sentence(leaf.declaration)),
      ...argumentItems(leaf.declaration),
      ...optionItems(optionsOf(leaf.declaration).filter((option) => !isCommon(option))),
      exampleLines(leaf.declaration),
    ]),
    section('OPTIONS'),
    paragraph('Each of these commands also takes:'),
    ...optionItems(first ? optionsOf(first.declaration).filter(isCommon) : []),
    ...(group.declaration.examples ? [section('EXAMPLES'), exampleLines(group.declaration)] : []),
  ]
}

function argumentItems(declaration: CommandDeclaration): string[] {
  return argumentsOf(declaration).map(([name, meaning]) => item(usage(`<${name}>`), meaning))
}

type CommandOption = OptionGroup['options'][number]

function optionsOf(declaration: CommandDeclaration): CommandOption[] {
  return optionGroupsOf(declaration).flatMap(({ options }) => options)
}

function optionItems(options: readonly CommandOption[]): string[] {
  return options.map((option) => {
    const { flags, default: value } = option
    const fallback = value === undefined ? '' : `; default: \`${value}\``
    return item(usage(flags), `${optionMeaning(option)}${fallback}`)
  })
}

function exampleLines({ examples = [] }: Declaration): string {
  return verbatim(examples.map((line) => `$ ${line}`))
}

/** Returns the table of exit codes. */
function exitRows(): string[] {
  const [rows] = topics.filter(({ name }) => name === 'exit-codes').flatMap(({ parts }) => parts)
  return rows ? [topicPart(rows)] : []
}

function topicPart(part: Part): string {
  if (typeof part === 'string') return paragraph(part)
  if ('lines' in part) return verbatim(part.lines)
  return part.rows.map(([term, meaning]) => item(bold(term), meaning)).join('\n')
}

function noteText(note: Note): string {
  if (typeof note === 'string') return paragraph(note)
  const rows = note.rows.map(({ term, meaning, detail }) =>
    item(bold(term), detail === undefined ? meaning : `${meaning} (${detail})`),
  )
  return [paragraph(`${note.title}:`), ...rows].join('\n')
}

function page(name: string, description: string, parts: readonly string[]): string {
  const title = name.toUpperCase()
  return `${[
    `.TH ${code(title)} 1 "" "tt ${version}" "Manual of tt"`,
    // No hyphenation, no justification.
    '.nh',
    '.ad l',
    section('NAME'),
    `${code(name)} \\- ${prose(description.replace(/\.$/, ''))}`,
    ...parts,
  ].join('\n')}\n`
}

/** Returns the name of a page, such as `tt-config`. */
function pageName({ path }: DeclaredCommand): string {
  return path.replace(' ', '-')
}

function reference(command: DeclaredCommand): string {
  return `\`${pageName(command)}\`(1)`
}

function invocation({ path, declaration }: DeclaredCommand): string {
  return `${bold(path)} ${usage(usageOf(declaration).replace(/\[([a-z]+)(\.\.\.)?\]/g, '[<$1>$2]'))}`
}

function sentence(declaration: Declaration): string {
  return `${capitalize(descriptionOf(declaration))}.`
}
