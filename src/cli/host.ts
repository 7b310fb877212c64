import type { Environment } from '../config/paths.js'
import { FdStream } from './fd-stream.js'

/** Where text goes: standard output, or standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number | undefined
  /** Its height in lines. */
  readonly rows?: number | undefined
  /** `done` is told when the text is taken, or why it could not be. */
  write(text: string, done?: (error?: Error | null) => void): unknown
}

/** The outside world of one command: streams, environment, clock and signals. Tests make their own. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** Where questions are drawn: standard error, as a stream. */
  readonly promptOutput: NodeJS.WritableStream
  env: Environment
  /** The working directory; undefined when somebody has removed it. */
  cwd(): string | undefined
  now(): Date
  /** Milliseconds since this machine started, which setting its clock does not change; undefined where unknown. */
  uptimeMs?(): number
  /** Has `interrupt` called on Ctrl-C, unless a command waits for the end itself. */
  onInterrupt(interrupt: () => void): void
  /** Resolves when the program is told to end (SIGINT or SIGTERM); from the first call on, the caller ends it. */
  untilStopped(): Promise<void>
  /** Aborted by the next Ctrl-C, which the caller then ends by itself; one more ends the program at once. */
  interruption(): AbortSignal
  /** Leaves Ctrl-C to another program at the terminal, until what this answers is called. */
  leaveInterrupts(): () => void
}

/** The world of the running process. */
export function processHost(): Host {
  let stop: (() => void) | undefined
  const stderr = new FdStream(2, () => process.stderr)
  return {
    get stdin() {
      return process.stdin
    },
    stdout: new FdStream(1, () => process.stdout),
    stderr,
    get promptOutput() {
      return stderr.stream
    },
    env: process.env,
    cwd: workingDirectory,
    now: () => new Date(),
    uptimeMs: () => Math.round(process.getBuiltinModule('node:os').uptime() * 1000),
    onInterrupt(interrupt) {
      process.on('SIGINT', () => (stop ? stop() : interrupt()))
    },
    untilStopped: () =>
      new Promise((resolve) => {
        stop = resolve
        process.on('SIGTERM', resolve)
      }),
    interruption() {
      const controller = new AbortController()
      stop = () => {
        stop = undefined
        controller.abort()
      }
      return controller.signal
    },
    leaveInterrupts() {
      const before = stop
      stop = () => {}
      return () => {
        stop = before
      }
    },
  }
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined // What is tracked does not depend on it.
  }
}
