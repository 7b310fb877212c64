import { type Command, Option } from 'commander'
import type { CommandModule } from '../commands/command.js'

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
export type Lazily = (load: () => Promise<unknown>) => (...given: unknown[]) => Promise<void>

/** Actions that hand `invoke` what was asked for: no command is loaded before it runs. */
export function lazilyInto(invoke: Invoke): Lazily {
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
export function declareInside(command: Command) {
  const declare = undeclared.get(command)
  undeclared.delete(command)
  declare?.()
}

/** Has every command under this one declared before it is parsed or before help lists it. */
export function declareOnDemand(parent: Command) {
  parent.hook('preSubcommand', async (_, command) => {
    declareInside(command)
    const [typed] = parent.args
    if (typed !== undefined && isMistyped(typed, parent, command)) await refuseUnknown(typed, parent)
  })
  parent.on('beforeHelp', () => parent.commands.forEach(declareInside))
}

const defaults = new WeakMap<Command, Command>()

/** The command that a group stands for where none of its words follows. */
export function defaultOf(parent: Command): Command | undefined {
  return defaults.get(parent)
}

/** The default command was taken for a word that names none, and takes none. */
function isMistyped(typed: string, parent: Command, { registeredArguments }: Command): boolean {
  const isCommand = parent.commands.some((command) => command.name() === typed)
  return !isCommand && !typed.startsWith('-') && registeredArguments.length === 0
}

async function refuseUnknown(typed: string, parent: Command) {
  const { nearestTold } = await import('../nearest.js')
  const told = nearestTold(
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
export function group(parent: Command, name: string, description: string, declare: Declare) {
  if (isLeftOut(parent, name)) return
  const command = parent.command(name).description(description)
  undeclared.set(command, () => {
    declareOnDemand(command)
    declare(command)
  })
}

/** A command. */
export function leaf(
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
export function list(
  parent: Command,
  name: string,
  description: string,
  declare: Declare,
  isDefault = false,
) {
  const declareList = (command: Command) => {
    declare(command)
    command
      .option('--ndjson', 'print one JSON value a line')
      .option('--csv', 'print CSV (RFC 4180) with a header')
      .option('--markdown', 'print a Markdown table')
      .option('--fields <keys>', 'only these JSON keys, in this order, separated by commas')
  }
  leaf(parent, name, description, declareList, isDefault)
}

/** The options that every command takes (design, section 3). */
export function withCommon(command: Command): Command {
  return command
    .option('--json', 'print one JSON value')
    .option('--profile <name>', 'which account; "local" is the local workspace')
    .option('--no-input', 'never ask; fail where an answer is needed')
    .option(command.name() === 'api' ? '--quiet' : '-q, --quiet', 'no words on stderr but errors')
    .option('--debug', 'show requests with their times, and where an error came from')
    .option('--no-color', 'no colour')
    .option('--yes', 'skip confirmation prompts')
}

export const where = () =>
  new Option(
    '--where <field_matcher=value>',
    'a filter of the service (_eq, _gteq, _lt, _cont); repeatable',
  ).argParser(gathered)

/** Which days: what `boundsAsked` of src/commands/period.ts reads. */
export function withPeriod(command: Command): Command {
  return command
    .option('--since <date>', 'from this day on (2024-05-01, monday, -7d, "last week", may, q2, 2024-W18)')
    .option('--until <date>', 'up to and with this day')
    .option('--today', 'of today')
    .option('--yesterday', 'of yesterday')
    .option('--week', 'of this week')
    .option('--month', 'of this month')
    .option('--quarter', 'of this quarter')
    .option('--year', 'of this year')
}

const severalOrNot = 'repeatable; an exclamation mark before it excludes'

/** Which entries: what `entryFilter` of src/tracking/filter.ts reads, and `--where`. */
export function withEntryFilters(command: Command): Command {
  return command
    .option('--project <project>', `of projects with this in the name, or this id; ${severalOrNot}`, gathered)
    .option('--client <client>', 'the same by client', gathered)
    .option('--task <task>', 'the same by task', gathered)
    .option('--notes <text>', `with this in the notes; ${severalOrNot}`, gathered)
    .option('--running', 'that run')
    .option('--pending', 'that are not delivered yet')
    .option('--billable', 'that can be billed, by the settings; without those, what has a client')
    .option('--not-billable', 'that cannot')
    .addOption(where())
}

export const database = () =>
  new Option('--database <location>', 'sqlite:PATH or postgres://…; default: the local workspace')

/** The values of an option that may be given several times. */
export function gathered(value: string, before: string[] | undefined): string[] {
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
