let lastTurn: Promise<void> = Promise.resolve()

/**
 * Resolves when other requests have had the opportunity to run. Of all callers, one continues in each iteration of the
 * event loop, so that a request waits for at most one of them, however many long lists are being sent.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)))
  return lastTurn
}

/** Responses that are sent together at most: a busy turn must not delay the first ones by more than a few milliseconds. */
const maxTogether = 16

let waiting: (() => void)[] = []

/**
 * Resolves when the input of this iteration of the event loop has been handled, or when `maxTogether` callers wait. Responses
 * that are sent then, one directly after the other, take much less time than single ones: each write to a client that
 * waits makes the system wake it up, and a client with several connections is awake after the first.
 */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(continueAll)
    else if (waiting.length === maxTogether) continueAll()
  })
}

function continueAll() {
  const callers = waiting
  waiting = []
  for (const resolve of callers) resolve()
}
