import type { Context } from '../../cli/context.js'
import type { Summary } from '../../ui/summary.js'
import type { TextChunks } from '../../ui/text.js'
import type { View } from '../../ui/view.js'

/**
 * What stands behind a word that a user types. `run` gets the context, the arguments and the options, and
 * returns what goes to stdout: rows, one record, null for no record, undefined for nothing at all, or
 * records that come in over time.
 */
export interface CommandModule<Row = never> {
  run(ctx: Context, ...input: never[]): Promise<readonly Row[] | Row | null | undefined> | AsyncIterable<Row>
  /** How rows look in each format. Without one, the value is shown as JSON. */
  view?: View<Row> | ((ctx: Context, value: unknown) => View<Row>)
  /** Where the value is one object in JSON and rows in other formats; undefined for a value that `view` shows. */
  summary?(ctx: Context, value: unknown): Summary | undefined
  /** What is written as it is, whatever the format: a picture, a page. Undefined for every other value. */
  text?(value: unknown): TextChunks | undefined
  /**
   * Whether the command warns and uses the default settings when `config.json` cannot be read: read-only commands, and
   * `tt stop`. The others fail.
   */
  usesDefaultSettings?: boolean | ((...input: never[]) => boolean)
  /** It changes entries or expenses: with an expired sign-in it works from the cache, and its changes are saved. */
  canQueue?: boolean
  /** The words on stderr have told it: a person at a terminal is not shown the record as well. */
  quietOnTerminal?: boolean | ((...input: never[]) => boolean)
}
