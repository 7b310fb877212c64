import type { Context } from '../../cli/context.js'
import { EndedByInterrupt } from '../../lib/errors.js'
import { Watch } from './watch.js'
import {
  changeEvents,
  connectionEvent,
  messageEvent,
  stateEvent,
  type WatchEvent,
  type WatchState,
} from './watch-state.js'

/** Ends the stream: the reader is gone, or a signal has arrived. */
type End = 'interrupt' | NodeJS.Signals

/**
 * Yields the current state, then an event for each change, until a signal arrives. Throws EndedByInterrupt after Ctrl-C.
 */
export async function* watchEvents(ctx: Context): AsyncGenerator<WatchEvent, void> {
  const { host } = ctx
  const pending: WatchEvent[] = []
  let end: End | undefined
  let wake = () => {}
  const add = (...events: (WatchEvent | undefined)[]) => {
    pending.push(...events.filter((event) => event !== undefined))
    wake()
  }
  let resolveEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  const endWith = (reason: End) => {
    end = reason
    resolveEnded()
    wake()
  }
  let before: WatchState | undefined
  const watch = new Watch(ctx, {
    onRead(state) {
      const now = host.now()
      if (before?.day === state.day) add(...changeEvents(before, state, now))
      else add(stateEvent(state, watch.connection, now))
      before = state
    },
    onConnection: (connection) => before && add(connectionEvent(connection, host.now())),
    onMessage: (message) => add(messageEvent(message, host.now())),
    onTick() {},
  })
  host.interruption().addEventListener('abort', () => endWith('interrupt'))
  const handlers = (['SIGTERM', 'SIGHUP'] as const).map((signal) => host.on(signal, () => endWith(signal)))
  try {
    // A service that does not respond must not delay the end.
    await Promise.race([watch.start(), ended])
    while (end === undefined) {
      const event = pending.shift()
      if (event) yield event
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    for (const remove of handlers) remove()
    await watch.close()
  }
  if (end === 'interrupt') throw new EndedByInterrupt()
  if (end !== undefined) host.raise(end)
}
