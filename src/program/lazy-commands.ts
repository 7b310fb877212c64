import { type Command, Option } from 'commander'
import type { CommandModule } from '../commands/shared/command.js'

/** What a parsed command line asks for: a command to load, and what was given to it. */
export interface Invocation {
  load(): Promise<CommandModule<unknown>>
  /** Positional arguments, as declared; variadic ones are arrays. */
  operands: unknown[]
  options: Record<string, unknown>
}

export type Invoke = (invocation: Invocation) => Promise<void>
export type Declare = (command: Command) => unknown
/** Makes the action of a command out of how it is loaded. */
export type LazyAction = (load: () => Promise<unknown>) => (...given: unknown[]) => Promise<void>

/** Actions that hand `invoke` what was asked for: no command is loaded before it runs. */
export function createLazyAction(invoke: Invoke): LazyAction {
  return (load) =>
    (...given) =>
      invoke({
        load: load as () => Promise<CommandModule>,
        operands: given.slice(0, -2),
        options: optionsOf(given.at(-1) as Command),
      })
}

const undeclared = new WeakMap<Command, () => void>()

/** Declares what is inside a command, the first time it is asked for: one command line needs one command. */
export function declareChildren(command: Command) {
  const declare = undeclared.get(command)
  undeclared.delete(command)
  declare?.()
}

/** Has every command under this one declared before it is parsed or before help lists it. */
export function declareOnDemand(parent: Command) {
  parent.hook('preSubcommand', async (_, command) => {
    declareChildren(command)
    const [typed] = parent.args
    if (typed !== undefined && isMistyped(typed, parent, command)) await refuseUnknown(typed, parent)
  })
  parent.on('beforeHelp', () => parent.commands.forEach(declareChildren))
}

const defaults = new WeakMap<Command, Command>()

/** The command that a group stands for where none of its words follows. */
export function defaultCommand(parent: Command): Command | undefined {
  return defaults.get(parent)
}

/** The default command was taken for a word that names none, and takes none. */
function isMistyped(typed: string, parent: Command, { registeredArguments }: Command): boolean {
  const isCommand = parent.commands.some((command) => command.name() === typed)
  return !isCommand && !typed.startsWith('-') && registeredArguments.length === 0
}

async function refuseUnknown(typed: string, parent: Command) {
  const { nearestNamesText } = await import('../lib/nearest-names.js')
  const told = nearestNamesText(
    typed,
    parent.commands.map((command) => command.name()),
  )
  parent.error(`error: unknown command '${typed}'.${told}`, { code: 'commander.unknownCommand' })
}

const onlyChildren = new WeakMap<Command, string>()

/** Has the commands under this one left out, all but the one of that name: making them all takes a while. */
export function declareOnly(parent: Command, name: string) {
  onlyChildren.set(parent, name)
}

const isLeftOut = (parent: Command, name: string) => (onlyChildren.get(parent) ?? name) !== name

/** A word with more words under it. */
export function commandGroup(parent: Command, name: string, description: string, declare: Declare) {
  if (isLeftOut(parent, name)) return
  const command = parent.command(name).description(description)
  undeclared.set(command, () => {
    declareOnDemand(command)
    declare(command)
  })
}

/** A command. */
export function command(
  parent: Command,
  name: string,
  description: string,
  declare: Declare,
  isDefault = false,
) {
  if (isLeftOut(parent, name)) return
  const command = parent.command(name, { isDefault }).description(description)
  if (isDefault) defaults.set(parent, command)
  undeclared.set(command, () => {
    declare(command)
    withCommon(command)
  })
}

/** A command that answers rows. */
export function listCommand(
  parent: Command,
  name: string,
  description: string,
  declare: Declare,
  isDefault = false,
) {
  const declareList = (command: Command) => {
    declare(command)
    command
      .option('--ndjson', 'print one JSON value per line')
      .option('--csv', 'print CSV (RFC 4180) with a header')
      .option('--markdown', 'print a Markdown table')
      .option('--fields <keys>', 'print only these JSON keys, in this order (comma-separated)')
  }
  command(parent, name, description, declareList, isDefault)
}

/** The options that every command takes (design, section 3). */
export function withCommon(command: Command): Command {
  return command
    .option('--json', 'print one JSON value')
    .option('--profile <name>', 'use this profile ("local" is the local workspace)')
    .option('--no-input', 'never prompt; fail where input is needed')
    .option(command.name() === 'api' ? '--quiet' : '-q, --quiet', 'print only errors to stderr')
    .option('--debug', 'print requests with their timing, and the stack trace of an error')
    .option('--no-color', 'disable colour')
    .option('--yes', 'skip confirmation prompts')
}

export const whereOption = () =>
  new Option(
    '--where <field_matcher=value>',
    'filter by any field, with _eq, _gteq, _lt or _cont (repeatable)',
  ).argParser(collect)

/** Which days: what `boundsAsked` of src/commands/shared/period.ts reads. */
export function withPeriod(command: Command): Command {
  return command
    .option(
      '--since <date>',
      'entries since this date (2024-05-01, monday, -7d, "last week", may, q2, 2024-W18)',
    )
    .option('--until <date>', 'entries up to and including this date')
    .option('--today', 'only entries of today')
    .option('--yesterday', 'only entries of yesterday')
    .option('--week', 'only entries of this week')
    .option('--month', 'only entries of this month')
    .option('--quarter', 'only entries of this quarter')
    .option('--year', 'only entries of this year')
}

const repeatable = 'repeatable; prefix with ! to exclude'

/** Which entries: what `entryFilter` of src/entries/entry-filter.ts reads, and `--where`. */
export function withEntryFilters(command: Command): Command {
  return command
    .option('--project <project>', `filter by project name or ID (${repeatable})`, collect)
    .option('--client <client>', `filter by client name or ID (${repeatable})`, collect)
    .option('--task <task>', `filter by task name or ID (${repeatable})`, collect)
    .option('--notes <text>', `filter by text in the notes (${repeatable})`, collect)
    .option('--running', 'only running entries')
    .option('--pending', 'only entries not yet synced')
    .option('--billable', 'only billable entries')
    .option('--not-billable', 'only non-billable entries')
    .addOption(whereOption())
}

export const databaseOption = () =>
  new Option('--database <location>', 'sqlite:PATH or postgres://… (default: the local workspace)')

/** The values of an option that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** The end of a help text. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}

/** What was given to the command, and before it to the commands around it; the innermost says the last word. */
function optionsOf(command: Command): Record<string, unknown> {
  const options = command.parent ? optionsOf(command.parent) : {}
  for (const [key, value] of Object.entries(command.opts())) {
    if (!(key in options) || command.getOptionValueSource(key) !== 'default') options[key] = value
  }
  return options
}
