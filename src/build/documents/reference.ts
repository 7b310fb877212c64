import type { Command, Option } from 'commander'
import { settingTable } from '../../config/settings/setting-table.js'
import { capitalize } from '../../lib/text/capitalize.js'
import { createProgram, everyCommand } from '../../program/program.js'
import { type Part, type Topic, topics } from '../../program/topics.js'

/** Returns the parts of the documentation that follow from the program, in Markdown, by the names of their markers. */
export async function referenceParts(): Promise<Record<string, string>> {
  let help = ''
  const write = (text: string) => {
    help += text
  }
  const program = await createProgram({ invoke: async () => {}, writeOut: write, writeErr: write })
  const commands = everyCommand(program).filter(({ commands }) => commands.length === 0)
  const common = program.options.filter(({ long }) => long !== '--version')
  const listed = commands.filter((command) => !path(command).includes('__'))
  const examplesOf = (command: Command) => {
    help = ''
    command.outputHelp()
    const [, examples = ''] = help.split('\nExamples:\n')
    return examples.split('\n').flatMap((line) => (line.startsWith('  $ ') ? [line.slice(4)] : []))
  }
  return {
    commands: overview(listed),
    'common-options': optionTable('Option', common),
    'command-reference': listed
      .map((command) => commandSection(command, common, examplesOf(command)))
      .join('\n\n'),
    settings: table(
      ['Setting', 'Default', 'Meaning', 'Example'],
      settingTable.map(({ name, default: value, description, example }) => [
        code(name),
        value ? code(value) : '',
        prose(description),
        code(example),
      ]),
    ),
    'exit-codes': table(
      ['Exit', 'Code', 'When'],
      rowsOf('exit-codes').map(([status, text]) => {
        const [, name, meaning] = /^`(\w+)`: (.*)$/.exec(text) ?? [undefined, undefined, text]
        return [status, name ? code(name) : '', prose(meaning ?? '')]
      }),
    ),
    ...Object.fromEntries(topics.map((topic) => [`topic-${topic.name}`, topicSection(topic)])),
  }
}

/**
 * Replaces the text between the markers `<!-- begin NAME -->` and `<!-- end NAME -->` by the part of that name. Throws an
 * Error for a name without a part.
 */
export function withReference(text: string, parts: Readonly<Record<string, string>>): string {
  return text.replace(
    /(<!-- begin ([\w-]+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const part = parts[name]
      if (part === undefined) throw new Error(`No generated part is named "${name}".`)
      return `${begin}\n${part}\n\n${end}`
    },
  )
}

function overview(commands: readonly Command[]): string {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const title = groupOf(command).replace(/:$/, '')
    groups.set(title, [...(groups.get(title) ?? []), command])
  }
  return [...groups]
    .map(([title, members]) => {
      const rows = members.map((command) => [
        `[${code(path(command))}](#${anchor(command)})`,
        prose(command.summary() || command.description()),
      ])
      return `**${title}**\n\n${table(['Command', ''], rows)}`
    })
    .join('\n\n')
}

function commandSection(command: Command, common: readonly Option[], examples: readonly string[]): string {
  const own = command.options.filter(({ long }) => !common.some((option) => option.long === long))
  const args = command.registeredArguments.map((argument) => [
    code(argument.name()),
    prose(argument.description),
  ])
  return [
    `### ${path(command)}`,
    `${sentence(command.description())}`,
    fence('text', [`${path(command)} ${command.usage()}`.trim()]),
    ...(args.length > 0 ? [table(['Argument', ''], args)] : []),
    ...optionTables(own),
    ...(examples.length > 0 ? [fence('sh', examples)] : []),
  ].join('\n\n')
}

/** Returns one table for each group of the help. */
function optionTables(options: readonly Option[]): string[] {
  const groups = new Map<string, Option[]>()
  for (const option of options) {
    const title = option.helpGroupHeading?.replace(/:$/, '') ?? 'Option'
    groups.set(title, [...(groups.get(title) ?? []), option])
  }
  return [...groups].map(([title, members]) => optionTable(title, members))
}

function optionTable(title: string, options: readonly Option[]): string {
  const rows = options.map(({ flags, description, defaultValue }) => {
    const fallback = typeof defaultValue === 'string' ? ` (default: ${code(defaultValue)})` : ''
    return [code(flags), `${prose(description)}${fallback}`]
  })
  return table([title, ''], rows)
}

function topicSection({ parts }: Topic): string {
  return parts.map(topicPart).join('\n\n')
}

function topicPart(part: Part): string {
  if (typeof part === 'string') return prose(part)
  if ('lines' in part) return fence('text', part.lines)
  return table(
    ['', ''],
    part.rows.map(([term, meaning]) => [code(term), prose(meaning)]),
  )
}

function rowsOf(name: string): (readonly [string, string])[] {
  const parts = topics.find((topic) => topic.name === name)?.parts ?? []
  return parts.flatMap((part) => (typeof part === 'object' && 'rows' in part ? part.rows : []))
}

/** Returns the heading of `tt --help` for a command or its group. */
function groupOf(command: Command): string {
  return command.parent?.parent ? groupOf(command.parent) : command.helpGroup()
}

function path(command: Command): string {
  return command.parent ? `${path(command.parent)} ${command.name()}` : command.name()
}

const anchor = (command: Command) => path(command).replaceAll(' ', '-')

function sentence(text: string): string {
  return `${prose(capitalize(text))}.`
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => ` ${cell.replaceAll('|', '\\|')} `.replace(/^ {2}$/, ' ')).join('|')}|`
  return [line(headers), `|${headers.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

function fence(language: string, lines: readonly string[]): string {
  return ['```'.concat(language), ...lines, '```'].join('\n')
}

/** Returns a code span; text with a backtick needs two backticks around it (CommonMark section 6.1). */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Escapes Markdown markup outside code spans. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 ? part : part.replace(/[*_<~[\]]/g, '\\$&')))
    .join('')
}
