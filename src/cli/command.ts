import type { OptionValues } from 'commander'
import type { FileExtension } from '../ui/formats/formats.js'
import type { TextChunks } from '../ui/text.js'
import type { Summary, View } from '../ui/view.js'
import type { Context } from './context.js'
import type { CommandDeclaration } from './declaration.js'
import type { RecordedChange } from './recorded-change.js'

/** The arguments and options of any command, by their names; `Input` of src/cli/input.ts has those of one. */
export interface AnyInput {
  args: OptionValues
  options: OptionValues
}

/** A parsed command line: the command, and its input as typed, which `readInput` of src/cli reads. */
export interface Invocation {
  /** The full name, such as "tt config get". */
  name: string
  command: Pick<CommandDeclaration, 'load'> &
    Partial<Pick<CommandDeclaration, 'args' | 'options' | 'optionGroups' | 'hasFormats'>>
  input: AnyInput
  /** Returns what was typed in place of an option such as `--port`, for messages; by default the option itself. */
  nameOption?: (flag: string) => string
}

/** The implementation of a command. */
export interface CommandModule<Input> {
  /**
   * Returns the output: rows, one record, null for no record, undefined for no output, or records over time.
   *
   * @param recorded makes a change of a database and records the command in its audit log
   */
  run(ctx: Context, input: Input, recorded: RecordedChange): Promise<unknown> | AsyncIterable<unknown>
  /** The view of the rows. Without one, the value is printed as JSON. */
  view?: View<unknown> | ViewOf<Input>
  /** For a value that is one object in JSON and rows in other formats; undefined for a value with a `view`. */
  summary?(value: unknown): Summary | undefined
  /** Output independent of the format, such as a chart or a page; undefined for other values. */
  text?(value: unknown): TextChunks | undefined
  /**
   * Whether the command warns and uses the default settings when `config.json` cannot be read: read-only commands, and
   * `tt stop`. The others fail.
   */
  allowsUnreadableSettings?: boolean | InputTest<Input>
  /** Whether it can save changes locally while the sign-in is expired. */
  canQueue?: boolean
  /** The extensions of the files that the command runner writes for `--output`. */
  fileExtensions?: readonly FileExtension[]
  /** Whether a message on stderr replaces the value on a terminal. */
  messageReplacesValue?: boolean | InputTest<Input>
}

// These are methods, so that the type of every command is one of `CommandModule<AnyInput>`.
type InputTest<Input> = { test(input: Input): boolean }['test']
type ViewOf<Input> = { view(ctx: Context, value: unknown, input: Input): View<unknown> }['view']
