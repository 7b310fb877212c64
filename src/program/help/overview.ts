import { commandGroups, programSummary } from '../command-list.js'
import { commonOptions, helpFlags, versionOption } from '../options/common-options.js'
import { topics } from './topics.js'

/**
 * Returns the text of `tt --help`: commands first, options last, without loading any declaration.
 *
 * @param aliases the aliases of the user with their expansions
 */
export function overviewText(aliases: Readonly<Record<string, string>> = {}): string {
  const commands = Object.entries(commandGroups).map(([title, group]) =>
    section(title, Object.entries(group)),
  )
  const options = [
    ...Object.entries(commonOptions),
    versionOption,
    [helpFlags, 'show help for tt or a command'] as const,
  ]
  return [
    programSummary,
    'Usage: tt <command> [options]',
    ...commands,
    ...(Object.keys(aliases).length > 0 ? [section('Aliases', aliasRows(aliases))] : []),
    section(
      'Topics (tt help <topic>)',
      topics.map(({ name, summary }) => [name, summary]),
    ),
    section('Common options', options),
    'Run `tt <command> --help` for the options and examples of a command.\n',
  ].join('\n\n')
}

function aliasRows(aliases: Readonly<Record<string, string>>) {
  return Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))
}

function section(title: string, rows: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length), 13) + 2
  return [`${title}:`, ...rows.map(([term, text]) => `  ${term.padEnd(width)}${text}`)].join('\n')
}
