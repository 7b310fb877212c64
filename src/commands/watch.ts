import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { jsonText } from '../ui/formats/json.js'
import type { WatchEvent } from './watch/watch-state.js'

export const allowsUnreadableSettings = true

/** Returns the event as one line of JSON. */
export function text(event: WatchEvent) {
  return [`${jsonText(event)}\n`]
}

export async function* run(ctx: Context): AsyncGenerator<WatchEvent, void> {
  if (ctx.options.json) {
    const { watchEvents } = await import('./watch/event-stream.js')
    return yield* watchEvents(ctx)
  }
  const { stdin, stdout, env } = ctx.host
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === 'dumb') {
    throw new TtError('usage', 'tt watch needs a terminal.', {
      hint: 'Use `tt watch --json` for a program: it prints each change as a line of JSON.',
    })
  }
  const { showScreen } = await import('./watch/screen-session.js')
  await showScreen(ctx)
}
