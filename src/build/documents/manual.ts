import type { Command, Option } from 'commander'
import { capitalize } from '../../lib/text/capitalize.js'
import { version } from '../../lib/version.js'
import { declareChildren } from '../../program/lazy-commands.js'
import { createProgram } from '../../program/program.js'
import { type Part, topics } from '../../program/topics.js'
import { bold, code, item, paragraph, prose, section, subsection, usage, verbatim } from './roff.js'

/** Returns the man pages by their file names, generated from the command tree: one for `tt`, and one for each command. */
export async function manualPages(): Promise<Record<string, string>> {
  let written = ''
  const write = (text: string) => {
    written += text
  }
  const tree = await createProgram({ invoke: async () => {}, writeOut: write, writeErr: write })
  const notesOf = (command: Command) => {
    written = ''
    command.outputHelp()
    return notesUnder(written.slice(command.helpInformation().length))
  }
  const commands = visible(tree)
  const pages = commands.map((command) => [`tt-${command.name()}.1`, commandPage(command, notesOf)])
  return { 'tt.1': mainPage(tree, commands), ...Object.fromEntries(pages) }
}

/** The text below the options in the help of a command. */
interface Notes {
  examples: string[]
  /** The lines of each other paragraph. */
  others: string[][]
}

type NotesOf = (command: Command) => Notes

function notesUnder(text: string): Notes {
  const [before = '', after = ''] = text.split('\nExamples:\n')
  const others = before.split(/\n{2,}/).map((block) => block.split('\n').filter((line) => line !== ''))
  return {
    examples: after
      .split('\n')
      .filter(Boolean)
      .map((line) => line.trim()),
    others: others.filter((block) => block.length > 0),
  }
}

function mainPage(tree: Command, commands: readonly Command[]): string {
  return page('tt', tree.description(), [
    section('SYNOPSIS'),
    `${bold('tt')} \\fIcommand\\fR [\\fIoptions\\fR]`,
    section('DESCRIPTION'),
    paragraph(
      'tt stores your time in a workspace on this machine, or at a service that you sign in to with `tt login`. Changes made offline are saved locally and sent later.',
    ),
    paragraph('`tt help` and `tt COMMAND --help` show shorter versions of these pages.'),
    section('COMMANDS'),
    ...groupsOf(commands).flatMap(([title, members]) => [
      subsection(title.replace(/:$/, '')),
      ...members.map((command) =>
        item(invocation(command), `${sentence(command)} See ${reference(command)}.`),
      ),
    ]),
    section('OPTIONS'),
    paragraph('Accepted before a command, and by every command:'),
    ...optionItems(tree.options),
    ...topics.flatMap(({ name, parts }) => [
      section(headings[name] ?? name.toUpperCase()),
      ...parts.map(topicPart),
    ]),
    section('SEE ALSO'),
    paragraph(`${commands.map(reference).join(', ')}.`),
  ])
}

const headings: Record<string, string> = {
  time: 'TIME, DURATION AND DATE',
  names: 'TASK AND ENTRY',
  'exit-codes': 'EXIT STATUS',
}

function commandPage(command: Command, notesOf: NotesOf): string {
  declareChildren(command)
  const name = `tt ${command.name()}`
  const inside = visible(command)
  return page(name.replace(' ', '-'), command.description(), [
    section('SYNOPSIS'),
    invocation(command),
    section('DESCRIPTION'),
    paragraph(sentence(command)),
    ...(inside.length === 0 ? aboutLeaf(command, notesOf) : aboutGroup(command, notesOf)),
    section('EXIT STATUS'),
    ...exitRows(),
    section('SEE ALSO'),
    paragraph('`tt`(1): syntax of times and names, output formats, environment variables and files.'),
  ])
}

function aboutLeaf(command: Command, notesOf: NotesOf): string[] {
  const { examples, others } = notesOf(command)
  const args = argumentItems(command)
  return [
    ...others.map(noteText),
    ...(args.length > 0 ? [section('ARGUMENTS'), ...args] : []),
    section('OPTIONS'),
    ...optionItems(command.options),
    section('EXAMPLES'),
    verbatim(examples),
  ]
}

/** Describes the commands of a group; their common options come once, at the end. */
function aboutGroup(group: Command, notesOf: NotesOf): string[] {
  const { examples, others } = notesOf(group)
  const leaves = leavesOf(group)
  const [first] = leaves
  const isCommon = ({ flags }: Option) =>
    leaves.every(({ options }) => options.some((option) => option.flags === flags))
  return [
    ...others.map(noteText),
    section('COMMANDS'),
    ...leaves.flatMap((leaf) => [
      subsection(pathOf(leaf)),
      `.PP\n${invocation(leaf)}`,
      paragraph(sentence(leaf)),
      ...argumentItems(leaf),
      ...optionItems(leaf.options.filter((option) => !isCommon(option))),
      verbatim(notesOf(leaf).examples),
    ]),
    section('OPTIONS'),
    paragraph('Each of these commands also takes:'),
    ...optionItems(first?.options.filter(isCommon) ?? []),
    ...(examples.length > 0 ? [section('EXAMPLES'), verbatim(examples)] : []),
  ]
}

function argumentItems(command: Command): string[] {
  return command.registeredArguments.map((argument) =>
    item(usage(`<${argument.name()}>`), argument.description),
  )
}

function optionItems(options: readonly Option[]): string[] {
  return options.map(({ flags, description, defaultValue }) => {
    const fallback = typeof defaultValue === 'string' ? `; default: \`${defaultValue}\`` : ''
    return item(usage(flags), `${description}${fallback}`)
  })
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

/** Formats a paragraph of the help, or a list: each line a term and its meaning, with indented continuation lines. */
function noteText(block: readonly string[]): string {
  const parts: { term?: string; text: string }[] = []
  for (const line of block) {
    const [, term, meaning = ''] = /^ {2}(\S+) +(.*)$/.exec(line) ?? []
    const last = parts.at(-1)
    if (term !== undefined) parts.push({ term, text: meaning })
    else if (last && line.startsWith(' ')) last.text += ` (${line.trim()})`
    else parts.push({ text: line })
  }
  return parts.map(({ term, text }) => (term ? item(bold(term), text) : paragraph(text))).join('\n')
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

const reference = (command: Command) => `\`tt-${command.name()}\`(1)`

function invocation(command: Command): string {
  declareChildren(command)
  return `${bold(pathOf(command))} ${usage(command.usage().replace(/\[([a-z]+)(\.\.\.)?\]/g, '[<$1>$2]'))}`.trim()
}

/** Returns the full name of a command, such as `tt config get`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

function sentence(command: Command): string {
  const text = command.description()
  return `${capitalize(text)}.`
}

function groupsOf(commands: readonly Command[]): [title: string, members: Command[]][] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const title = command.helpGroup() || 'Others'
    groups.set(title, [...(groups.get(title) ?? []), command])
  }
  return [...groups]
}

function leavesOf(group: Command): Command[] {
  declareChildren(group)
  return visible(group).flatMap((command) => {
    declareChildren(command)
    return visible(command).length === 0 ? [command] : leavesOf(command)
  })
}

/** Returns the subcommands of a command that help shows. */
function visible(parent: Command): Command[] {
  const shown = parent.createHelp().visibleCommands(parent)
  return parent.commands.filter((command) => shown.includes(command))
}
