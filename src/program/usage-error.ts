import type { Command } from 'commander'
import { TtError } from '../lib/errors.js'
import { isWithin, nearestNames, suggestionText } from '../lib/text/nearest-names.js'
import { quoteWord } from '../lib/text/shell-quoting.js'
import { capitalize } from '../lib/text/words.js'
import { equivalentCommands, equivalentOptions, removedOptions } from './expected-names.js'

/** Errors about arguments, whose hint shows how the command is called. */
const argumentErrors = ['commander.missingArgument', 'commander.excessArguments']

/**
 * Returns the error `usage` for an error of commander.
 *
 * @param message such as "error: unknown command 'strat'\n(Did you mean start?)"
 * @param details.code the code of the error of commander
 * @param details.aliases further names that may be meant by an unknown command
 */
export function usageError(
  command: Command,
  message: string,
  { code = '', aliases = [] }: { code?: string | undefined; aliases?: readonly string[] } = {},
): TtError {
  const [problem = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const sentence = withDoubleQuotes(capitalize(problem)).replace(/([^.])$/, '$1.')
  const usage = command.createHelp().commandUsage(command)
  const hint = `Run \`${pathOf(command)} --help\` for usage.`
  const replacement = code === 'commander.unknownCommand' ? replacementFor(command) : undefined
  if (replacement)
    return new TtError('usage', sentence, {
      candidates: [replacement.split(' ')[1] ?? ''],
      hint: `Use \`${replacement}\` instead. ${hint}`,
    })
  const removed = code === 'commander.unknownOption' ? removedOption(command, problem) : undefined
  if (removed !== undefined) return new TtError('usage', removed)
  const option = code === 'commander.unknownOption' ? optionHint(command, problem) : undefined
  if (option !== undefined) return new TtError('usage', sentence, { hint: `${option} ${hint}` })
  const typed = /'(.*)'/.exec(problem)?.[1]?.replace(/^--/, '') ?? ''
  const suggested = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1]?.split(', ') ?? []
  const similar = suggested.filter((name) => isWithin(typed.length / 2, typed, name.replace(/^--/, '')))
  const isCommand = code === 'commander.unknownCommand'
  const commands = command.commands.map((each) => each.name())
  const candidates = isCommand ? nearestNames(typed, [...commands, ...aliases]) : similar
  return new TtError('usage', `${sentence}${suggestionText(candidates)}`, {
    candidates,
    hint: argumentErrors.includes(code) ? `${startHint(command)}Usage: ${usage}\n${hint}` : hint,
  })
}

/** Returns how to write the words after the task of `tt start`; empty for other commands. */
function startHint(command: Command): string {
  const [task = '', ...words] = command.args
  if (pathOf(command) !== 'tt start' || words.length === 0) return ''
  const text = words.join(' ')
  const quoted = /^[\w ,.'-]+$/.test(text) ? `"${text}"` : quoteWord(text)
  const notes = `For notes, write \`tt start ${quoteWord(task)} -n ${quoted}\`.`
  const path = `${task}/${words[0]}`
  const isPath = words.length === 1 && !task.includes('/')
  return `${notes}${isPath ? ` For a task of a project, write \`tt start ${quoteWord(path)}\`.` : ''}\n`
}

/** Returns a message of commander with double quotes around names and values, as in all other messages. */
function withDoubleQuotes(message: string): string {
  return message.replace(/(?<=^|\s)'(.*?)'(?=[\s.,]|$)/g, '"$1"')
}

/** Returns the command to use for the unknown command that was typed, if `equivalentCommands` has it. */
function replacementFor({ parent, args: [name = ''] }: Command): string | undefined {
  return !parent && Object.hasOwn(equivalentCommands, name) ? equivalentCommands[name] : undefined
}

/** Returns the message for an option that was removed; undefined for other unknown options. */
function removedOption(command: Command, problem: string): string | undefined {
  const [typed = '', name = ''] = /(--[\w-]+)=?/.exec(problem) ?? []
  const path = pathOf(command)
  const replacements = removedOptions[path] ?? {}
  const removed = [typed, name].find((key) => Object.hasOwn(replacements, key))
  if (removed === undefined) return undefined
  return `${removed.replace('=', ' FILE')} was removed. ${replacements[removed]?.replaceAll('COMMAND', path)}`
}

/** Returns what to use instead of the unknown option that was typed, if `equivalentOptions` has it. */
function optionHint(command: Command, problem: string): string | undefined {
  const [name = ''] = /--[\w-]+/.exec(problem) ?? []
  const hints = equivalentOptions[pathOf(command)] ?? {}
  return Object.hasOwn(hints, name) ? hints[name] : undefined
}

/** Returns a command with its parents, such as "tt admin user". */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
