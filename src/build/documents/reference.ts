import { commonOptions } from '../../cli/common-options.js'
import {
  type CommandDeclaration,
  descriptionOf,
  listOptions,
  type OptionGroup,
  optionMeaning,
  ownOptionGroups,
  usageOf,
} from '../../cli/declaration.js'
import { settingTable } from '../../config/settings/setting-table.js'
import { capitalize } from '../../lib/text/words.js'
import { type Part, type Topic, topics } from '../../program/help/topics.js'
import {
  argumentsOf,
  type CommandSection,
  commandSections,
  type DeclaredCommand,
  leavesOf,
} from './declared-commands.js'

/** Returns the parts of the documentation that follow from the program, in Markdown, by the names of their markers. */
export async function referenceParts(): Promise<Record<string, string>> {
  const sections = await commandSections()
  const commands = sections.flatMap((section) => section.commands.flatMap(leavesOf))
  return {
    commands: overview(sections),
    'common-options': optionTable('Option', listOptions(commonOptions)),
    'command-reference': commands.map(commandSection).join('\n\n'),
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

function overview(sections: readonly CommandSection[]): string {
  return sections
    .map(({ heading, commands }) => {
      const rows = commands
        .flatMap(leavesOf)
        .map(({ path, declaration }) => [`[${code(path)}](#${anchor(path)})`, prose(declaration.summary)])
      return `**${heading}**\n\n${table(['Command', ''], rows)}`
    })
    .join('\n\n')
}

function commandSection({ path, declaration }: DeclaredCommand<CommandDeclaration>): string {
  const args = argumentsOf(declaration).map(([name, meaning]) => [code(name), prose(meaning)])
  return [
    `### ${path}`,
    sentence(descriptionOf(declaration)),
    fence('text', [`${path} ${usageOf(declaration)}`]),
    ...(args.length > 0 ? [table(['Argument', ''], args)] : []),
    ...ownOptionGroups(declaration).map(({ title, options }) => optionTable(title ?? 'Option', options)),
    fence('sh', declaration.examples),
  ].join('\n\n')
}

function optionTable(title: string, options: OptionGroup['options']): string {
  const rows = options.map((option) => {
    const { flags, default: value } = option
    const fallback = value === undefined ? '' : ` (default: ${code(value)})`
    return [code(flags), `${prose(optionMeaning(option))}${fallback}`]
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

const anchor = (path: string) => path.replaceAll(' ', '-')

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
