import { HttpError } from '../http/http-error.js'

/** The number of passwords that are hashed at the same time. Node has four threads, which files need too. */
const maxParallelHashes = 3

/**
 * Upper bound for the sign-ins that wait for their hash: some seconds of work, which is less than the time limit of
 * clients. Without a bound, others would wait for minutes, also for sign-ins whose clients have given up.
 */
export const maxWaitingSignIns = 100

/** When clients may try again, in seconds. Most of the queue is done by then. */
const retryAfterSeconds = 5

let hashesInProgress = 0
const waiting: (() => void)[] = []

/**
 * Waits until a password may be hashed. Returns the function that ends the turn. Throws HttpError 503 while too many
 * sign-ins wait.
 */
export async function waitForTurn(): Promise<() => void> {
  if (hashesInProgress < maxParallelHashes) hashesInProgress++
  else if (waiting.length < maxWaitingSignIns) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw tooManySignIns()
  return () => {
    const next = waiting.shift()
    if (next) next()
    else hashesInProgress--
  }
}

function tooManySignIns(): HttpError {
  const message = 'Too many people are signing in at the moment. Try again in a few seconds.'
  return new HttpError(503, 'unavailable', message, {}, { 'Retry-After': String(retryAfterSeconds) })
}
