import type { Argument, Command, Option } from 'commander'
import type { Candidate } from './candidates.js'

/** A command of the tree. */
interface TreeCommand extends Command {
  readonly commands: readonly TreeCommand[]
  parent: TreeCommand | null
  /** The subcommand that runs when a group is called without one. */
  readonly defaultCommand: TreeCommand | undefined
  /** Creates the subcommands, arguments and options of the command. */
  build(): this
}

/** The command tree, provided by the caller: this module must not import the program. */
export interface CommandTree {
  /** Returns the part of the tree for a command line that begins with `word`; without it, the whole tree. */
  root(word?: string): Promise<TreeCommand>
  /** Returns the root with the names and summaries of its commands, but nothing below them. */
  names(): Promise<TreeCommand>
  /** Whether a word names a top-level command. */
  isCommand(name: string): boolean
  /** Returns the topics of `tt help`. */
  topics(): Promise<Candidate[]>
}

/** The position of the cursor in a command line, and what can be completed there. */
export interface CursorPosition {
  command: TreeCommand
  /** The names of the command, without `tt`. */
  commandPath: string[]
  /** The option whose value is at the cursor. */
  option?: Option
  /** The argument whose value may be at the cursor. */
  argument?: Argument
  /** Whether the name of a command is possible at the cursor. */
  takesCommand: boolean
  /** Whether the cursor is in an argument of `tt help` or `tt schema`, which names a command. */
  isHelp: boolean
  /** Whether the argument may be a topic of `tt help`. */
  takesTopic: boolean
  /** Whether an option is possible at the cursor: no `--` precedes it. */
  takesOption: boolean
  /** The option in the same word as its value: `--since=`; otherwise empty. */
  prefix: string
  /** The typed part of the value. */
  typed: string
  /** The options before the cursor, with their values. */
  options: Map<Option, string[]>
  /** The arguments before the cursor. */
  operands: string[]
}

/** Parses a command line whose last word is incomplete, with the rules of commander. */
export async function parseCommandLine(words: readonly string[], tree: CommandTree): Promise<CursorPosition> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const [first] = before
  const root =
    first === undefined ? tree.names() : tree.root(first === 'help' || first === 'schema' ? undefined : first)
  const parser = new CommandLineParser(await root)
  for (const word of before) parser.parse(word)
  return parser.positionAt(typed)
}

class CommandLineParser {
  #command: TreeCommand
  #path: string[] = []
  #options = new Map<Option, string[]>()
  #operands: string[] = []
  /** The option whose value may be the next word. */
  #pendingOption: Option | undefined
  #isAfterSeparator = false
  /** The command `help` or `schema` if it was typed: names of commands follow it, and topics follow `help`. */
  #help: TreeCommand | undefined

  constructor(root: TreeCommand) {
    this.#command = root
  }

  parse(word: string) {
    const pending = this.#pendingOption
    this.#pendingOption = undefined
    if (pending && (pending.required || !word.startsWith('-'))) this.#addOption(pending, word)
    else if (this.#isAfterSeparator || word === '-' || !word.startsWith('-')) this.#parseWord(word)
    else if (word === '--') this.#isAfterSeparator = true
    else if (word.startsWith('--')) this.#parseLongOption(word)
    else this.#parseShortOptions(word.slice(1))
  }

  positionAt(typed: string): CursorPosition {
    const { option, prefix } = this.#optionAt(typed)
    const position = {
      commandPath: this.#path,
      options: this.#options,
      operands: this.#operands,
      prefix,
      typed: typed.slice(prefix.length),
      takesCommand: this.#takesCommand,
      isHelp: this.#help !== undefined,
      takesTopic: this.#help?.name() === 'help',
      takesOption: !this.#isAfterSeparator,
    }
    if (this.#help) return { ...position, command: typed.startsWith('-') ? this.#help : this.#command }
    if (option) return { ...position, command: this.#command, option }
    // A group has the options of its default command: `tt expenses --` completes those of `tt expenses list`.
    const command = this.#takesCommand && typed.startsWith('-') ? this.#enterDefaultCommand() : this.#command
    const arguments_ = command.registeredArguments
    const last = arguments_.at(-1)
    const argument = arguments_[this.#operands.length] ?? (last?.variadic ? last : undefined)
    return { ...position, command, ...(argument ? { argument } : {}) }
  }

  #optionAt(typed: string): { option?: Option; prefix: string } {
    const pending = this.#pendingOption
    if (pending && (pending.required || !typed.startsWith('-'))) return { option: pending, prefix: '' }
    const long = this.#isAfterSeparator ? undefined : /^--[^=]+(?==)/.exec(typed)?.[0]
    const inline = long === undefined ? undefined : this.#findOption(long)
    return inline && takesValue(inline) ? { option: inline, prefix: `${long}=` } : { prefix: '' }
  }

  get #takesCommand(): boolean {
    return this.#operands.length === 0 && this.#command.commands.length > 0
  }

  #parseWord(word: string) {
    const child = this.#takesCommand
      ? this.#command.commands.find((command) => command.name() === word)
      : undefined
    if (child && (word === 'help' || word === 'schema')) {
      this.#help = child.build()
    } else if (child) {
      this.#enter(child)
      this.#path.push(word)
    } else {
      this.#enterDefaultCommand()
      this.#operands.push(word)
    }
  }

  /** Enters the default command of a group, and returns the current command. */
  #enterDefaultCommand(): TreeCommand {
    const child = this.#command.defaultCommand
    if (child) this.#enter(child)
    return this.#command
  }

  #enter(command: TreeCommand) {
    this.#command = command.build()
  }

  #parseLongOption(word: string) {
    const end = word.indexOf('=')
    const option = this.#findOption(end < 0 ? word : word.slice(0, end))
    if (option && end >= 0) this.#addOption(option, word.slice(end + 1))
    else if (option) this.#startOption(option)
  }

  /** Parses short options: `-n text`, `-ntext`, `-qn text`. */
  #parseShortOptions(letters: string) {
    for (const [index, letter] of [...letters].entries()) {
      const option = this.#findOption(`-${letter}`)
      const rest = letters.slice(index + 1)
      if (!option) return
      if (rest === '') return this.#startOption(option)
      if (takesValue(option)) return this.#addOption(option, rest)
      this.#addOption(option)
    }
  }

  #startOption(option: Option) {
    this.#addOption(option)
    if (takesValue(option)) this.#pendingOption = option
  }

  #addOption(option: Option, ...values: string[]) {
    this.#options.set(option, [...(this.#options.get(option) ?? []), ...values])
  }

  /** Returns the option of the command, or of one of its groups. */
  #findOption(flag: string): Option | undefined {
    const command = this.#takesCommand ? this.#command.defaultCommand?.build() : undefined
    for (let owner: TreeCommand | null = command ?? this.#command; owner; owner = owner.parent) {
      const found = owner.options.find(({ long, short }) => long === flag || short === flag)
      if (found) return found
    }
    return undefined
  }
}

function takesValue(option: Option): boolean {
  return option.required || option.optional
}
