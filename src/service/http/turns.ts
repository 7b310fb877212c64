let lastTurn: Promise<void> = Promise.resolve()

/**
 * Resolves when other requests have had the opportunity to run. Of all callers, one continues in each iteration of the
 * event loop, so that a request waits for at most one of them, however many long lists are being sent.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)))
  return lastTurn
}
