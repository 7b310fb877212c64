import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { type Aliases, expandAlias, readAliases } from '../config/aliases.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import { isCommand } from '../program/command-list.js'
import type { commands } from '../program/declarations/help.js'
import { fullOverviewText, overviewText } from '../program/help/overview.js'
import { topicText } from '../program/help/topic-text.js'
import { topicNamed, topics } from '../program/help/topics.js'
import { wrapHelp } from '../ui/wrap-help.js'

interface Page {
  name: string
  text: string
}

export const text = (value: unknown) => (typeof value === 'string' ? [value] : undefined)

export async function run(
  ctx: Context,
  { args: { command: words }, options }: Input<typeof commands.help>,
): Promise<string | Page> {
  const name = words.join(' ')
  const text = options.all ? fullOverviewText(aliasesOf(ctx)) : await helpText(ctx, words)
  if (typeof text === 'string') {
    const { isTTY, columns } = ctx.host.stdout
    return ctx.options.json ? { name, text } : wrapHelp(text, isTTY ? columns : undefined)
  }
  throw new TtError('usage', `Unknown command or topic "${name}".${nearestNamesText(name, text)}`, {
    hint: 'Run `tt help --all` to list the commands and topics.',
    candidates: nearestNames(name, text),
  })
}

async function helpText(ctx: Context, words: readonly string[]): Promise<string | string[]> {
  const [name = '', ...rest] = words
  if (words.length === 0) return overviewText()
  const text = await findPage(words)
  const aliases = typeof text === 'string' ? {} : aliasesOf(ctx)
  if (!Object.hasOwn(aliases, name) || rest.length > 0)
    return typeof text === 'string' ? text : [...text, ...Object.keys(aliases)]
  const sentence = `${name} is an alias. It stands for: ${aliases[name]}\n`
  const placeholders = Array.from({ length: 9 }, (_, index) => `$${index + 1}`)
  const expansion = expandAlias([name, ...placeholders], aliases, isCommand)
  if (expansion?.kind !== 'command') return sentence
  const page = await pageOfCommand(expansion.words)
  return page === undefined ? sentence : `${sentence}\n${page}`
}

/** Returns the text about a command or topic, or the known names if there is none. */
async function findPage(words: readonly string[]): Promise<string | string[]> {
  const topic = words.length === 1 ? topicNamed(words[0] ?? '') : undefined
  if (topic) return topicText(topic)
  const { createProgram } = await import('../program/program.js')
  let command = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word)
    if (!next) {
      const names = command.commands.map((each) => [...words.slice(0, index), each.name()].join(' '))
      return [...names, ...topics.map(({ name }) => name)]
    }
    command = next.build()
  }
  return command.helpInformation()
}

/** Returns the page of the command at the beginning of a command line, with its subcommand if it names one. */
async function pageOfCommand(words: readonly string[]): Promise<string | undefined> {
  for (const length of [3, 2, 1]) {
    const page = words.length < length ? undefined : await findPage(words.slice(0, length))
    if (typeof page === 'string') return page
  }
  return undefined
}

/** Returns the aliases that no command replaces; none if they cannot be read, because help must always work. */
function aliasesOf(ctx: Context): Aliases {
  try {
    const aliases = Object.entries(readAliases(ctx.config.paths))
    return Object.fromEntries(aliases.filter(([name]) => !isCommand(name)))
  } catch {
    return {}
  }
}
