import { Argument, Command, type ErrorOptions, type HelpContext, Option, type OptionValues } from 'commander'
import type { Invocation } from '../cli/command.js'
import { helpFlags } from '../cli/common-options.js'
import {
  type CommandDeclaration,
  type Declaration,
  descriptionOf,
  isGroup,
  type OptionGroup,
  optionGroupsOf,
} from '../cli/declaration.js'
import { TtError } from '../lib/errors.js'
import type { UntypedOption } from './configuration.js'

/** @param untyped the options that were not typed, if a configuration can set them */
export type Invoke = (invocation: Invocation, untyped?: readonly UntypedOption[]) => Promise<void>

/**
 * A command of commander's tree, made from its declaration. Its arguments, options and subcommands are created when it is
 * parsed or described, because a command line needs few of them. Its errors are TtErrors with the code `usage`.
 */
export class ProgramCommand extends Command {
  declare readonly commands: readonly ProgramCommand[]
  declare parent: ProgramCommand | null
  /** Undefined for `tt` itself. */
  readonly declaration: Declaration | undefined
  /** The aliases of the user, to suggest them for an unknown command. */
  aliasNames: readonly string[] = []
  readonly #invoke: Invoke
  #isBuilt = false

  constructor(name: string, invoke: Invoke, declaration?: Declaration) {
    super(name)
    this.#invoke = invoke
    this.declaration = declaration
  }

  /** The full name, such as "tt config get". */
  get path(): string {
    return this.parent ? `${this.parent.path} ${this.name()}` : this.name()
  }

  /** The subcommand that runs when this command is called without one. */
  get defaultCommand(): ProgramCommand | undefined {
    const { declaration } = this
    return declaration && isGroup(declaration)
      ? this.commands.find((command) => command.name() === declaration.default)
      : undefined
  }

  /** Adds a subcommand. */
  addDeclared(name: string, declaration: Declaration, isDefault = false) {
    const command = new ProgramCommand(name, this.#invoke, declaration)
    command.copyInheritedSettings(this).summary(declaration.summary).description(descriptionOf(declaration))
    this.addCommand(command, { isDefault })
  }

  /** Creates the arguments, options and subcommands of the declaration. */
  build(): this {
    const { declaration } = this
    if (!declaration || this.#isBuilt) return this
    this.#isBuilt = true
    if (!isGroup(declaration)) {
      this.#buildCommand(declaration)
      return this
    }
    this.buildOnDemand()
    for (const [name, child] of Object.entries(declaration.commands))
      this.addDeclared(name, child, name === declaration.default)
    return this
  }

  /** Builds every subcommand before it is parsed. */
  buildOnDemand() {
    this.hook('preSubcommand', async (_, command) => {
      if (!(command instanceof ProgramCommand)) return
      command.build()
      const rest = this.args.slice(1)
      await this.#rejectUnknown(this.args, command)
      // Commander prints the help of a group whatever word precedes `--help`.
      if (command.commands.length > 0 && rest.some(isHelpFlag))
        await command.#rejectUnknown(rest, command.defaultCommand?.build())
    })
  }

  /** Adds options under their headings. */
  addOptionGroups(groups: readonly OptionGroup[]) {
    for (const { title, options } of groups) {
      if (title !== undefined) this.optionsGroup(`${title}:`)
      for (const option of options) this.addOption(createOption(option))
    }
  }

  #buildCommand(declaration: CommandDeclaration) {
    for (const [term, details] of Object.entries(declaration.args ?? {})) {
      const { description, parse } = typeof details === 'string' ? { description: details } : details
      this.addArgument(Object.assign(new Argument(term, description), { values: parse }))
    }
    this.addOptionGroups(optionGroupsOf(declaration))
    this.action(() =>
      this.#invoke(
        {
          name: this.path,
          command: declaration,
          input: { args: this.#argumentValues(), options: optionsOf(this) },
        },
        this.#untyped(),
      ),
    )
  }

  /** Returns the options that were not typed; undefined for a command without `--config`. */
  #untyped(): UntypedOption[] | undefined {
    if (!this.options.some(({ long }) => long === '--config')) return undefined
    const negated = this.options.filter(({ negate }) => negate).map((option) => option.attributeName())
    return this.options.flatMap((option) => {
      const key = option.attributeName()
      if (this.getOptionValueSource(key) === 'cli') return []
      const { long, required, optional, negate } = option
      const canBeNegated = negated.includes(key)
      if (negate && this.options.some((other) => other !== option && other.attributeName() === key)) return []
      const flag = (long ?? '').replace(/^--no-/, '--')
      return [{ flag, key, takesValue: required || optional, canBeNegated }]
    })
  }

  /** Returns the values of the arguments by their names. */
  #argumentValues(): OptionValues {
    return Object.fromEntries(
      this.registeredArguments.map((argument, index) => [argument.name(), this.processedArgs[index]]),
    )
  }

  /** Whether commander chose the default command for a word that names no command. */
  #isUnknown(name: string): boolean {
    return !name.startsWith('-') && !this.commands.some((command) => command.name() === name)
  }

  /**
   * Throws the error of an unknown command, unless the words are an argument of the default command: any text, or what is
   * like a period where it takes one.
   */
  async #rejectUnknown(words: readonly string[], defaultCommand: Command | undefined) {
    const [name] = words
    if (name === undefined || !this.#isUnknown(name)) return
    const { nearestNames } = await import('../lib/text/nearest-names.js')
    const names = nearestNames(
      name,
      this.commands.map((command) => command.name()),
    )
    const [argument] = defaultCommand?.registeredArguments ?? []
    if (argument && argument.name() !== 'period') return
    const takesPeriod = argument !== undefined
    if (takesPeriod && (await isLikePeriod(words, names.length === 0))) return
    this.#failUnknown(name)
  }

  #failUnknown(name: string): never {
    this.error(`error: unknown command '${name}'`, { code: 'commander.unknownCommand' })
  }

  override outputHelp(context?: unknown) {
    const [name] = this.args
    if (!this.parent && name !== undefined && this.#isUnknown(name)) this.#failUnknown(name)
    super.outputHelp(context as HelpContext)
  }

  override error(message: string, options?: ErrorOptions): never {
    throw new CommandLineError(this, message, options?.code)
  }

  /** Parses a command line. Throws TtError `usage`. */
  override async parseAsync(...line: Parameters<Command['parseAsync']>): Promise<this> {
    try {
      return await super.parseAsync(...line)
    } catch (error) {
      if (!(error instanceof CommandLineError)) throw error
      const { usageError } = await import('./usage-error.js')
      const { command, message, code } = error
      throw usageError(command, message, { code, aliases: command.aliasNames })
    }
  }
}

/** An error of commander, before its words are replaced. */
class CommandLineError extends Error {
  constructor(
    readonly command: ProgramCommand,
    message: string,
    readonly code: string | undefined,
  ) {
    super(message)
  }
}

const isHelpFlag = (word: string) => helpFlags.split(', ').includes(word)

/** Whether the words before the first option are a period or, with `allowsTypos`, similar to one. */
async function isLikePeriod(words: readonly string[], allowsTypos: boolean): Promise<boolean> {
  const { parsePeriod } = await import('../lib/calendar/period.js')
  const end = words.findIndex((word) => word.startsWith('-'))
  try {
    parsePeriod(words.slice(0, end < 0 ? undefined : end).join(' '), new Date())
    return true
  } catch (error) {
    return allowsTypos && error instanceof TtError && (error.candidates ?? []).length > 0
  }
}

function createOption({ flags, description, ...details }: OptionGroup['options'][number]): Option {
  const option = Object.assign(new Option(flags, description), { values: details.parse })
  if (details.repeatable) option.argParser(collect)
  if (details.default !== undefined) option.default(details.default)
  return option
}

/** Appends a value of a repeatable option to the earlier ones. */
function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Returns the options of a command and of its parents; those of the command take precedence. */
function optionsOf(command: ProgramCommand): OptionValues {
  const options = command.parent ? optionsOf(command.parent) : {}
  for (const [key, value] of Object.entries(command.opts())) {
    if (!(key in options) || command.getOptionValueSource(key) !== 'default') options[key] = value
  }
  return options
}
