import type { Environment } from './config/paths.js'

/** The outside world of one command: streams, environment, clock and signals. Tests make their own. */
export interface World {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean }
  env: Environment
  now(): Date
  /** Has `interrupt` called on Ctrl-C, unless a command waits for the end itself. */
  onInterrupt(interrupt: () => void): void
  /** Resolves when the program is told to end (SIGINT or SIGTERM); from the first call on, the caller ends it. */
  untilStopped(): Promise<void>
}

/** The world of the running process. */
export function processWorld(): World {
  let stop: (() => void) | undefined
  return {
    // Each is opened when it is first used.
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    env: process.env,
    now: () => new Date(),
    onInterrupt(interrupt) {
      process.on('SIGINT', () => (stop ? stop() : interrupt()))
    },
    untilStopped: () =>
      new Promise((resolve) => {
        stop = resolve
        process.on('SIGTERM', resolve)
      }),
  }
}
