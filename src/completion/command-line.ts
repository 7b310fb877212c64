import type { Argument, Command, Option } from 'commander'
import type { Candidate } from './candidates.js'

/** The command tree, handed in: completion does not know the program. */
export interface CommandTree {
  /** The tree for a command line that begins with that word; without one, all of it. */
  root(word?: string): Promise<Command>
  /** Declares what is inside a command. */
  declareChildren(command: Command): void
  /** The command that a group stands for where no word of it follows. */
  defaultCommand(group: Command): Command | undefined
  /** The topics of `tt help`. */
  topics(): Promise<Candidate[]>
}

/** What is at the cursor, by the words before it. */
export interface CursorPosition {
  command: Command
  /** The words of the command, without `tt`. */
  commandPath: string[]
  /** The option whose value is at the cursor. */
  option?: Option
  /** The argument whose value may be at the cursor. */
  argument?: Argument
  /** A word of the tree may be at the cursor. */
  takesCommand: boolean
  /** What is at the cursor is to be explained by `tt help`. */
  isHelp: boolean
  /** An option may be at the cursor: no `--` came before. */
  takesOption: boolean
  /** The option that the value is of is in the same word: `--since=`; empty otherwise. */
  prefix: string
  /** What was typed of the value. */
  typed: string
  /** What was given already. */
  options: Map<Option, string[]>
  operands: string[]
}

/** Parses a command line whose last word is incomplete, as commander will parse it. */
export async function parseCommandLine(words: readonly string[], tree: CommandTree): Promise<CursorPosition> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const reader = new Reader(await tree.root(before[0] === 'help' ? undefined : before[0]), tree)
  for (const word of before) reader.take(word)
  return reader.place(typed)
}

class Reader {
  readonly #tree: CommandTree
  #command: Command
  #path: string[] = []
  #options = new Map<Option, string[]>()
  #operands: string[] = []
  /** Its value comes next, or may. */
  #open: Option | undefined
  #ended = false
  /** The command `help`, where it was typed: after it come words of the tree. */
  #help: Command | undefined

  constructor(root: Command, tree: CommandTree) {
    this.#command = root
    this.#tree = tree
  }

  take(word: string) {
    const open = this.#open
    this.#open = undefined
    if (open && (open.required || !word.startsWith('-'))) this.#note(open, word)
    else if (this.#ended || word === '-' || !word.startsWith('-')) this.#takeWord(word)
    else if (word === '--') this.#ended = true
    else if (word.startsWith('--')) this.#takeLong(word)
    else this.#takeShort(word.slice(1))
  }

  place(typed: string): CursorPosition {
    const { option, prefix } = this.#optionAt(typed)
    const place = {
      commandPath: this.#path,
      options: this.#options,
      operands: this.#operands,
      prefix,
      typed: typed.slice(prefix.length),
      takesCommand: this.#takesCommand,
      isHelp: this.#help !== undefined,
      takesOption: !this.#ended,
    }
    if (this.#help) return { ...place, command: typed.startsWith('-') ? this.#help : this.#command }
    // `tt expenses --` and `tt expenses report --`: what a group takes is what its default takes.
    if (option) return { ...place, command: this.#command, option }
    const command = this.#takesCommand && typed.startsWith('-') ? this.#innermost() : this.#command
    const arguments_ = command.registeredArguments
    const last = arguments_.at(-1)
    const argument = arguments_[this.#operands.length] ?? (last?.variadic ? last : undefined)
    return { ...place, command, ...(argument ? { argument } : {}) }
  }

  #optionAt(typed: string): { option?: Option; prefix: string } {
    const open = this.#open
    if (open && (open.required || !typed.startsWith('-'))) return { option: open, prefix: '' }
    const long = this.#ended ? undefined : /^--[^=]+(?==)/.exec(typed)?.[0]
    const inline = long === undefined ? undefined : this.#optionNamed(long)
    return inline && takesValue(inline) ? { option: inline, prefix: `${long}=` } : { prefix: '' }
  }

  get #takesCommand(): boolean {
    return this.#operands.length === 0 && this.#command.commands.length > 0
  }

  #takeWord(word: string) {
    const inner = this.#takesCommand ? this.#command.commands.find((one) => one.name() === word) : undefined
    if (inner && word === 'help') {
      this.#tree.declareChildren(inner)
      this.#help = inner
    } else if (inner) {
      this.#enter(inner)
      this.#path.push(word)
    } else {
      this.#innermost()
      this.#operands.push(word)
    }
  }

  /** Where no word of a group follows, its default is meant. */
  #innermost(): Command {
    const inner = this.#tree.defaultCommand(this.#command)
    if (inner) this.#enter(inner)
    return this.#command
  }

  #enter(command: Command) {
    this.#tree.declareChildren(command)
    this.#command = command
  }

  #takeLong(word: string) {
    const end = word.indexOf('=')
    const option = this.#optionNamed(end < 0 ? word : word.slice(0, end))
    if (option && end >= 0) this.#note(option, word.slice(end + 1))
    else if (option) this.#begin(option)
  }

  /** `-n text`, `-ntext`, `-qn text`. */
  #takeShort(letters: string) {
    for (const [index, letter] of [...letters].entries()) {
      const option = this.#optionNamed(`-${letter}`)
      const rest = letters.slice(index + 1)
      if (!option) return
      if (rest === '') return this.#begin(option)
      if (takesValue(option)) return this.#note(option, rest)
      this.#note(option)
    }
  }

  #begin(option: Option) {
    this.#note(option)
    if (takesValue(option)) this.#open = option
  }

  #note(option: Option, ...values: string[]) {
    this.#options.set(option, [...(this.#options.get(option) ?? []), ...values])
  }

  /** An option of the command, or before it of what stands around it. */
  #optionNamed(flag: string): Option | undefined {
    const command = this.#takesCommand ? this.#tree.defaultCommand(this.#command) : undefined
    if (command) this.#tree.declareChildren(command)
    for (let here: Command | null = command ?? this.#command; here; here = here.parent) {
      const found = here.options.find(({ long, short }) => long === flag || short === flag)
      if (found) return found
    }
    return undefined
  }
}

export function takesValue(option: Option): boolean {
  return option.required || option.optional
}
