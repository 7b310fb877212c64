import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { expandAlias } from '../config/alias-expansion.js'
import { type Aliases, readAliases } from '../config/aliases.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import type { commands } from '../program/declarations/help.js'
import { wrapHelp } from '../ui/wrap-help.js'

/** Returns the help text for a command or topic, or the list of known names for an unknown one. */
export type PageFor = (words: readonly string[]) => Promise<string | string[]>

interface HelpSources {
  pageFor: PageFor
  /** Returns the everyday commands; with the aliases of the user, these and all commands. */
  overview(aliases?: Aliases): string
  isCommand(name: string): boolean
}

interface Page {
  name: string
  text: string
}

/** Creates `tt help` with the pages of the command tree. */
export function createHelpCommand(sources: HelpSources) {
  return {
    text: (value: unknown) => (typeof value === 'string' ? [value] : undefined),
    async run(
      ctx: Context,
      { args: { command: words }, options }: Input<typeof commands.help>,
    ): Promise<string | Page> {
      const name = words.join(' ')
      const text = options.all
        ? sources.overview(aliasesOf(ctx, sources))
        : await helpText(ctx, words, sources)
      if (typeof text === 'string') {
        const { isTTY, columns } = ctx.host.stdout
        return ctx.options.json ? { name, text } : wrapHelp(text, isTTY ? columns : undefined)
      }
      throw new TtError('usage', `Unknown command or topic "${name}".${nearestNamesText(name, text)}`, {
        hint: 'Run `tt help --all` to list the commands and topics.',
        candidates: nearestNames(name, text),
      })
    },
  }
}

async function helpText(
  ctx: Context,
  words: readonly string[],
  sources: HelpSources,
): Promise<string | string[]> {
  const [name = '', ...rest] = words
  if (words.length === 0) return sources.overview()
  const text = await sources.pageFor(words)
  const aliases = typeof text === 'string' ? {} : aliasesOf(ctx, sources)
  if (!Object.hasOwn(aliases, name) || rest.length > 0)
    return typeof text === 'string' ? text : [...text, ...Object.keys(aliases)]
  const sentence = `${name} is an alias. It stands for: ${aliases[name]}\n`
  const placeholders = Array.from({ length: 9 }, (_, index) => `$${index + 1}`)
  const expansion = expandAlias([name, ...placeholders], aliases, sources.isCommand)
  if (expansion?.kind !== 'command') return sentence
  const page = await pageOfCommand(expansion.words, sources)
  return page === undefined ? sentence : `${sentence}\n${page}`
}

/** Returns the page of the command at the beginning of a command line, with its subcommand if it names one. */
async function pageOfCommand(
  words: readonly string[],
  { pageFor }: HelpSources,
): Promise<string | undefined> {
  for (const length of [3, 2, 1]) {
    const page = words.length < length ? undefined : await pageFor(words.slice(0, length))
    if (typeof page === 'string') return page
  }
  return undefined
}

/** Returns the aliases that no command replaces; none if they cannot be read, because help must always work. */
function aliasesOf(ctx: Context, { isCommand }: HelpSources): Aliases {
  try {
    const aliases = Object.entries(readAliases(ctx.config.paths))
    return Object.fromEntries(aliases.filter(([name]) => !isCommand(name)))
  } catch {
    return {}
  }
}
