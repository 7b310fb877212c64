import type { Command } from 'commander'
import type { CommandModule } from '../commands/shared/command.js'
import { withCommon, withFormats } from './shared-options.js'

/** A parsed command line: the command to load, its arguments and its options. */
export interface Invocation {
  load(): Promise<CommandModule<unknown>>
  /** Positional arguments, as declared; variadic ones are arrays. */
  operands: unknown[]
  options: Record<string, unknown>
}

export type Invoke = (invocation: Invocation) => Promise<void>
export type Declare = (command: Command) => unknown
/** Creates the action of a command from the function that loads it. */
export type LazyAction = (load: () => Promise<unknown>) => (...input: unknown[]) => Promise<void>

/** Returns a function that creates actions, which pass their invocation to `invoke`; it loads the command. */
export function createLazyAction(invoke: Invoke): LazyAction {
  return (load) =>
    (...input) =>
      invoke({
        load: load as () => Promise<CommandModule>,
        operands: input.slice(0, -2),
        options: optionsOf(input.at(-1) as Command),
      })
}

const pendingDeclarations = new WeakMap<Command, () => void>()

/** Declares the arguments, options and subcommands of a command when they are first needed. */
export function declareChildren(command: Command) {
  const declare = pendingDeclarations.get(command)
  pendingDeclarations.delete(command)
  declare?.()
}

/** Declares every subcommand before it is parsed or listed in help. */
export function declareOnDemand(parent: Command) {
  parent.hook('preSubcommand', async (_, command) => {
    declareChildren(command)
    const [name] = parent.args
    if (name !== undefined && isUnknown(name, parent, command)) await rejectUnknown(name, parent)
  })
  parent.on('beforeHelp', () => parent.commands.forEach(declareChildren))
}

const defaultCommands = new WeakMap<Command, Command>()

/** Returns the subcommand that runs when a group is called without one. */
export function defaultCommand(parent: Command): Command | undefined {
  return defaultCommands.get(parent)
}

/** Whether commander chose the default command, which takes no arguments, for the name of an unknown one. */
function isUnknown(name: string, parent: Command, { registeredArguments }: Command): boolean {
  const isCommand = parent.commands.some((command) => command.name() === name)
  return !isCommand && !name.startsWith('-') && registeredArguments.length === 0
}

async function rejectUnknown(name: string, parent: Command) {
  const { nearestNames } = await import('../lib/text/nearest-names.js')
  const names = nearestNames(
    name,
    parent.commands.map((command) => command.name()),
  )
  // The suggestion has the form that commander uses, which `usageError` parses.
  const suggestion =
    names.length > 0 ? `\n(Did you mean ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}?)` : ''
  parent.error(`error: unknown command '${name}'${suggestion}`, { code: 'commander.unknownCommand' })
}

const limitedTo = new WeakMap<Command, string>()

/** Limits a parent to the subcommand of this name, because declaring all of them takes time. */
export function limitToChild(parent: Command, name: string) {
  limitedTo.set(parent, name)
}

const isExcluded = (parent: Command, name: string) => (limitedTo.get(parent) ?? name) !== name

/** Adds a command with subcommands. */
export function commandGroup(parent: Command, name: string, description: string, declare: Declare) {
  if (isExcluded(parent, name)) return
  const command = parent.command(name).description(description)
  pendingDeclarations.set(command, () => {
    declareOnDemand(command)
    declare(command)
  })
}

/** Adds a command. */
export function command(
  parent: Command,
  name: string,
  description: string,
  declare: Declare,
  isDefault = false,
) {
  if (isExcluded(parent, name)) return
  const command = parent.command(name, { isDefault }).description(description)
  if (isDefault) defaultCommands.set(parent, command)
  pendingDeclarations.set(command, () => {
    declare(command)
    withCommon(command)
  })
}

/** Adds a command that prints records. */
export function listCommand(
  parent: Command,
  name: string,
  description: string,
  declare: Declare,
  isDefault = false,
) {
  const declareList = (command: Command) => {
    declare(command)
    withFormats(command)
  }
  command(parent, name, description, declareList, isDefault)
}

/** Returns the options of a command and of its parents; those of the command take precedence. */
function optionsOf(command: Command): Record<string, unknown> {
  const options = command.parent ? optionsOf(command.parent) : {}
  for (const [key, value] of Object.entries(command.opts())) {
    if (!(key in options) || command.getOptionValueSource(key) !== 'default') options[key] = value
  }
  return options
}
