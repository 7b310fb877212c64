import type { Context } from '../../cli/context.js'
import type { Summary } from '../../ui/summary.js'
import type { TextChunks } from '../../ui/text.js'
import type { View } from '../../ui/view.js'

/**
 * The implementation of a command. `run` receives the context, the arguments and the options, and returns the output:
 * rows, one record, null for no record, undefined for no output, or records over time.
 */
export interface CommandModule<Row = never> {
  run(ctx: Context, ...input: never[]): Promise<readonly Row[] | Row | null | undefined> | AsyncIterable<Row>
  /** The view of the rows. Without one, the value is printed as JSON. */
  view?: View<Row> | ((ctx: Context, value: unknown) => View<Row>)
  /** For a value that is one object in JSON and rows in other formats; undefined for a value with a `view`. */
  summary?(ctx: Context, value: unknown): Summary | undefined
  /** Output independent of the format, such as a chart or a page; undefined for other values. */
  text?(value: unknown): TextChunks | undefined
  /**
   * Whether the command warns and uses the default settings when `config.json` cannot be read: read-only commands, and
   * `tt stop`. The others fail.
   */
  allowsUnreadableSettings?: boolean | ((...input: never[]) => boolean)
  /** Whether it can save changes locally while the sign-in is expired. */
  canQueue?: boolean
  /** Whether a message on stderr replaces the value on a terminal. */
  messageReplacesValue?: boolean | ((...input: never[]) => boolean)
}
