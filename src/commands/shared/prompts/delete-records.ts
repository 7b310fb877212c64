import type { WireRecord } from '../../../api-client/types.js'
import type { Context } from '../../../cli/context.js'

export interface Deletion<Item extends { wire: WireRecord }> {
  records: readonly Item[]
  /** Returns the text for the prompt and the message of one record. */
  describe(record: Item): string
  /** Introduces several records in the prompt, such as "2 entries: ". */
  heading?: string
  /** Lists the records in detail instead of in the question. */
  listing?: { count: string; lines: string } | undefined
  remove(records: readonly Item[]): Promise<Item[]>
}

/** Prompts, deletes the records, and prints them. Returns the deleted records; undefined when the user declines. */
export async function confirmAndDelete<Item extends { wire: WireRecord }>(
  ctx: Context,
  { records, describe, heading = '', listing, remove }: Deletion<Item>,
): Promise<Item[] | undefined> {
  const described = records.map(describe)
  const named = listing?.count ?? `${records.length === 1 ? '' : heading}${described.join('; ')}`
  const subject = { delete: records.map(({ wire }) => wire) }
  if (!(await ctx.terminal.confirm(`Delete ${named}?`, listing?.lines, { subject }))) return undefined
  const removed = await remove(records)
  for (const text of described) ctx.terminal.message(`Deleted ${text}.`)
  return removed
}
