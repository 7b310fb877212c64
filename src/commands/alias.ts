import { createReadStream } from 'node:fs'
import type { Context } from '../cli/context.js'
import { resolvePath } from '../cli/file-paths.js'
import type { Input } from '../cli/input.js'
import {
  type Aliases,
  changeAliases,
  expandAlias,
  isShellExpansion,
  parseAliases,
  readAliases,
  splitWords,
} from '../config/aliases.js'
import { ConfigFileError, configLimitBytes } from '../config/config-file.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import { countText } from '../lib/text/words.js'
import { isCommand } from '../program/command-list.js'
import type { commands } from '../program/declarations/alias.js'
import type { AliasJson } from '../records/shapes/accounts.js'
import { escapeText } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { emptyList } from './views/record.js'

type Commands = typeof commands.alias.commands

type AliasRecord = AliasJson

const recordOf = (name: string, expansion: string): AliasRecord => ({
  name,
  expansion,
  shell: isShellExpansion(expansion),
})

const view: View<AliasRecord> = {
  columns: [
    { key: 'name', title: 'Name' },
    { key: 'expansion', title: 'Expansion', canWrap: true },
  ],
  json: (row) => ({ ...row }),
  empty: emptyList('aliases', 'tt alias set NAME COMMAND', 'creates one'),
}

export const list = {
  view,
  async run(ctx: Context): Promise<AliasRecord[]> {
    const aliases = Object.entries(readAliases(ctx.config.paths)).sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [name] of aliases)
      if (isCommand(name))
        ctx.terminal.warn(`The alias "${name}" has no effect: \`tt ${name}\` is a command. Use another name.`)
    return aliases.map(([name, expansion]) => recordOf(name, expansion))
  },
}

export const set = {
  view,
  messageReplacesValue: true as const,
  async run(
    ctx: Context,
    { args: { name, expansion: typed }, options }: Input<Commands['set']>,
  ): Promise<AliasRecord> {
    const text = (typed === '-' ? await readExpansion(ctx.host.stdin) : typed).trim()
    const expansion = options.shell && !isShellExpansion(text) ? `!${text}` : text
    const before = await changeAliases(ctx.config.paths, (aliases) => {
      const previous = Object.hasOwn(aliases, name) ? aliases[name] : undefined
      aliases[name] = expansion
      checkAlias(name, aliases)
      return previous
    })
    const previously = before === undefined || before === expansion ? '' : ` (previously ${before})`
    ctx.terminal.message(`${name} now stands for: ${expansion}${previously}`)
    return recordOf(name, expansion)
  },
}

export const rm = {
  view,
  messageReplacesValue: true as const,
  async run(ctx: Context, { args: { name } }: Input<Commands['rm']>): Promise<AliasRecord> {
    const expansion = await changeAliases(ctx.config.paths, (aliases) => {
      const found = Object.hasOwn(aliases, name) ? aliases[name] : undefined
      if (found === undefined) throw unknownAliasError(name, Object.keys(aliases))
      delete aliases[name]
      return found
    })
    ctx.terminal.message(`Removed ${name}, which stood for: ${expansion}`)
    return recordOf(name, expansion)
  },
}

export const importFile = {
  view,
  messageReplacesValue: true as const,
  async run(
    ctx: Context,
    { args: { file }, options }: Input<Commands['import']>,
  ): Promise<AliasRecord[] | undefined> {
    const imported = await readImported(ctx, file)
    const names = Object.keys(imported)
    const check = (aliases: Aliases) => {
      const changed = names.find(
        (name) => Object.hasOwn(aliases, name) && aliases[name] !== imported[name] && !options.clobber,
      )
      if (changed !== undefined)
        throw new TtError('usage', `The alias "${changed}" already exists, with another expansion.`, {
          hint: 'Add --clobber to replace existing aliases.',
        })
      Object.assign(aliases, imported)
      for (const name of names) checkAlias(name, aliases)
    }
    // Reports an invalid file before it prompts.
    check(readAliases(ctx.config.paths))
    if (!options.shell && !(await acceptsShellAliases(ctx, imported))) return undefined
    await changeAliases(ctx.config.paths, check)
    ctx.terminal.message(`Imported ${countText(names.length, 'alias', 'aliases')}.`)
    return names.map((name) => recordOf(name, imported[name] ?? ''))
  },
}

async function readImported(ctx: Context, file: string): Promise<Aliases> {
  const source = file === '-' ? 'The standard input' : file
  try {
    return parseAliases(
      file === '-' ? await readAll(ctx.host.stdin) : await readFile(resolvePath(ctx.host, file)),
    )
  } catch (cause) {
    if (cause instanceof TtError) throw cause
    const reason = cause instanceof ConfigFileError ? cause.message : `cannot be read: ${errorMessage(cause)}`
    throw new TtError('usage', `${source} ${reason}.`, {
      hint: 'Aliases are imported from a JSON object, such as {"standup": "log yesterday"}.',
      cause,
    })
  }
}

/** Reads a file or a pipe, such as that of a process substitution. */
async function readFile(path: string): Promise<string> {
  return readAll(createReadStream(path))
}

/** Reads an expansion from standard input, as gh does. Throws TtError `usage` if it is too long. */
async function readExpansion(stdin: NodeJS.ReadableStream): Promise<string> {
  try {
    return await readAll(stdin)
  } catch (cause) {
    if (!(cause instanceof ConfigFileError)) throw cause
    throw new TtError('usage', `The standard input ${cause.message}.`, {
      hint: 'Use a shorter alias.',
      cause,
    })
  }
}

/** Reads a stream, but not much more than an alias file may contain. */
async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > configLimitBytes) throw new ConfigFileError('is larger than 64 KiB')
  }
  return Buffer.concat(chunks).toString()
}

/** Shows the shell aliases of a file and prompts. Throws TtError `usage` without a terminal: a file can run anything. */
async function acceptsShellAliases(ctx: Context, imported: Aliases): Promise<boolean> {
  const scripts = Object.entries(imported).filter(([, expansion]) => isShellExpansion(expansion))
  if (scripts.length === 0) return true
  const lines = scripts.map(([name, expansion]) => `  ${name}: ${escapeText(expansion)}`).join('\n')
  if (!ctx.terminal.isInteractive)
    throw new TtError('usage', `These aliases run in a shell:\n${lines}`, {
      hint: `${ctx.terminal.cannotPromptReason} Add --shell to accept them.`,
    })
  return ctx.terminal.confirm('Import these shell aliases?', `These aliases run in a shell:\n${lines}`)
}

/** Throws TtError `usage` for an alias that would not work. */
function checkAlias(name: string, aliases: Aliases) {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw new TtError('usage', `"${name}" cannot be the name of an alias.`, {
      hint: 'Use letters, digits, hyphens and underscores, and begin with a letter or a digit.',
    })
  if (isCommand(name))
    throw new TtError('usage', `"${name}" is a command, and an alias cannot replace it.`, {
      hint: 'Choose another name.',
    })
  const expansion = aliases[name] ?? ''
  const isShell = isShellExpansion(expansion)
  const [first] = isShell ? [expansion.slice(1).trim()] : splitWords(expansion, (number) => `$${number}`)
  if (first === undefined || first === '')
    throw new TtError('usage', `The alias "${name}" has no expansion.`, {
      hint: 'Write a command, such as: log yesterday',
    })
  if (isShell) return
  if (/(?<!\\)\$[@*]/.test(expansion))
    throw new TtError('usage', `The alias "${name}" contains $@ or $*, which only shell aliases have.`, {
      hint: 'Omit it: arguments without a placeholder are appended.',
    })
  // Throws if the alias contains itself.
  const placeholders = Array.from({ length: 9 }, (_, index) => `$${index + 1}`)
  expandAlias([name, ...placeholders], aliases, isCommand)
  if (first.startsWith('-') || isCommand(first) || Object.hasOwn(aliases, first)) return
  throw new TtError('usage', `The alias "${name}" begins with "${first}", which is no command.`, {
    hint:
      first === 'tt'
        ? 'Omit "tt" at its beginning.'
        : 'Run `tt help --all` to list the commands. To run another program, add --shell.',
  })
}

function unknownAliasError(name: string, names: readonly string[]): TtError {
  return new TtError('not_found', `There is no alias "${name}".${nearestNamesText(name, names)}`, {
    candidates: nearestNames(name, names),
    hint: 'Run `tt alias list` to list the aliases.',
  })
}
