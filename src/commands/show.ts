import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/entries.js'
import type { Entry } from '../tracking/entries/entry.js'
import type { View } from '../ui/view.js'
import { entryView } from './views/entry.js'

export const allowsUnreadableSettings = true

/** All columns instead of one line. */
export const view = (ctx: Context): View<Entry> => {
  const { line: _, ...columnsView } = entryView(ctx)
  return columnsView
}

export async function run(
  ctx: Context,
  { args: { entry: reference }, options }: Input<typeof commands.show>,
): Promise<Entry> {
  const { externalId } = options
  if (reference === undefined && externalId === undefined) {
    throw new TtError('usage', 'Give either ENTRY or --external-id.', {
      hint: 'ENTRY is an ID, @ for the running entry, or @1 for the last finished one.',
    })
  }
  const entries = await ctx.entries()
  if (externalId === undefined) return entries.find(reference ?? '@')
  const entry = await entries.findByExternalId(externalId)
  if (entry) return entry
  throw new TtError('not_found', `There is no entry with the external ID "${externalId}".`)
}
