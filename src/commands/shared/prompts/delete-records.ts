import type { Context } from '../../../cli/context.js'

export interface Deletion<Item> {
  records: readonly Item[]
  /** Returns the text for the prompt and the message of one record. */
  describe(record: Item): string
  /** Introduces several records in the prompt, such as "2 entries: ". */
  heading?: string
  remove(records: readonly Item[]): Promise<Item[]>
}

/** Prompts, deletes the records, and prints them. Returns the deleted records; undefined when the user declines. */
export async function confirmAndDelete<Item>(
  ctx: Context,
  { records, describe, heading = '', remove }: Deletion<Item>,
): Promise<Item[] | undefined> {
  const described = records.map(describe)
  const question = `Delete ${records.length === 1 ? '' : heading}${described.join('; ')}?`
  if (!(await ctx.terminal.confirm(question))) return undefined
  const removed = await remove(records)
  for (const text of described) ctx.terminal.message(`Deleted ${text}.`)
  return removed
}
