import { monotonicMs } from './monotonic-clock.js'

/** How long to wait for another process before reporting it, in milliseconds. */
export const silentWaitMs = 1_000

type WaitListener = (text: string) => void

let listener: WaitListener | undefined

/**
 * Sets the function that receives the message about a long wait of this process for another one, once; undefined for
 * none. Returns the previous function. It belongs to the process, not to a database: any part of a command may wait.
 */
export function setWaitListener(next: WaitListener | undefined): WaitListener | undefined {
  const previous = listener
  listener = next
  return previous
}

/** Returns a function to call during a wait. It reports the wait, with this text, once it is long. */
export function watchWait(text: string, startMs = monotonicMs()): () => void {
  return () => {
    if (!listener || monotonicMs() - startMs < silentWaitMs) return
    const report = listener
    listener = undefined
    report(text)
  }
}
