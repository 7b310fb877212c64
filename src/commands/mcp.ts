import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/mcp.js'

/** Serves the Model Context Protocol until standard input ends. Throws TtError `usage` for --yes and --jq. */
export async function run(ctx: Context, { options }: Input<typeof commands.mcp>): Promise<undefined> {
  if (ctx.options.yes) {
    throw new TtError('usage', '--yes cannot be used here: the user of the client confirms changes.', {
      hint: 'Omit --yes.',
    })
  }
  if (ctx.options.jq !== undefined) {
    throw new TtError('usage', '--jq cannot be used here: the output is that of a protocol.', {
      hint: 'Omit --jq.',
    })
  }
  const { serveMcp } = await import('../mcp/server.js')
  await serveMcp(ctx, { isReadOnly: options.readOnly === true })
}
