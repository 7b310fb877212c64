import { commonOptions, helpFlags, versionOption } from '../../cli/common-options.js'
import { commandGroups, everydayCommands, programSummary, summaries } from '../command-list.js'
import { wrap } from './topic-text.js'
import { topics } from './topics.js'

type Row = readonly [term: string, text: string]

/** Returns the text of `tt help`: the everyday commands, without loading any declaration. */
export function overviewText(): string {
  const otherTopics = topics.map(({ name }) => name).filter((name) => name !== 'names' && name !== 'options')
  const rows: Row[] = [
    ['tt COMMAND --help', 'options and examples of a command'],
    ['tt help --all', 'all commands, topics and options'],
    ['tt help names', 'how to specify a task or an entry'],
    ['tt help options', 'the options of every command'],
  ]
  return [
    programSummary,
    'Usage: tt [command] [options]\nWithout a command, tt shows the day.',
    section(
      'Everyday commands',
      everydayCommands.map((name) => [name, summaries[name]]),
    ),
    section('More help', rows, 18),
    `${wrap(`Topics: ${otherTopics.join(', ')}.`, 0)}\n`,
  ].join('\n\n')
}

/**
 * Returns the text of `tt help --all`: commands first, options last.
 *
 * @param aliases the aliases of the user with their expansions
 */
export function fullOverviewText(aliases: Readonly<Record<string, string>> = {}): string {
  const commands = Object.entries(commandGroups).map(([title, group]) =>
    section(title, Object.entries(group)),
  )
  const options: Row[] = [
    ...Object.entries(commonOptions),
    versionOption,
    [helpFlags, 'show help for tt or a command'],
  ]
  return [
    programSummary,
    'Usage: tt [command] [options]',
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

function section(title: string, rows: readonly Row[], minWidth = 13): string {
  const width = Math.max(...rows.map(([term]) => term.length), minWidth) + 2
  return [`${title}:`, ...rows.map(([term, text]) => `  ${term.padEnd(width)}${text}`)].join('\n')
}
