import type { CpuInfo } from 'node:os'
import type { Environment } from '../config/paths.js'
import { FdStream } from './output/stdout.js'

/** Standard output or standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number | undefined
  /** The height of the terminal in lines. */
  readonly rows?: number | undefined
  /** Writes the text, then calls `done`, with the error if writing failed. */
  write(text: string, done?: (error?: Error | null) => void): unknown
}

/** The process in which a command runs: streams, environment, clock and signals. Tests create their own. */
export interface Host {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** The stream for prompts: standard error. */
  readonly promptOutput: NodeJS.WritableStream
  env: Environment
  /** The working directory; undefined if it was removed. */
  cwd(): string | undefined
  now(): Date
  /** The paths of Node and of the script that it runs. */
  program(): { node: string; script: string }
  /** The ID of this process. */
  readonly pid?: number
  /**
   * Starts this program with these arguments in a process that outlives this one and its terminal: in a session of its own
   * and the root directory, without streams, on Windows without a window. Returns whether it was started.
   */
  startDetached?(argv: readonly string[], env: Environment): boolean
  /** Resolves after this number of milliseconds. */
  pause(ms: number): Promise<void>
  /** Milliseconds since this machine started, which setting its clock does not change; undefined where unknown. */
  uptimeMs?(): number
  /** Returns how long this machine has been on since it started, and how much of that it slept. */
  sleepClock?(): SleepReading
  /** Calls `interrupt` on Ctrl-C, unless a command handles it. */
  onInterrupt(interrupt: () => void): void
  /** Resolves on SIGINT or SIGTERM. After the first call the caller must end the program. */
  untilStopped(): Promise<void>
  /** Returns a signal that the next Ctrl-C aborts; one more ends the program. */
  interruption(): AbortSignal
  /** Lets Ctrl-C end the process at once, also during long computations, until the returned function is called. */
  endOnInterrupt?(): () => void
  /** Leaves Ctrl-C to another program in the terminal, and only calls `notice`, until the returned function is called. */
  leaveInterrupts(notice?: () => void): () => void
  /** Calls `handle` on a signal instead of its default action, or when the process ends, until the returned function is called. */
  on(event: NodeJS.Signals | 'exit', handle: () => void): () => void
  /** Sends a signal to this process; SIGTSTP to its whole process group, as a terminal does for Ctrl-Z. */
  raise(signal: NodeJS.Signals): void
}

/** Returns the host of the running process. */
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
    program: () => ({ node: process.execPath, script: process.argv[1] ?? '' }),
    pid: process.pid,
    startDetached,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    uptimeMs: () => Math.round(process.getBuiltinModule('node:os').uptime() * 1000),
    sleepClock: () => readSleep(systemClocks()),
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
    endOnInterrupt() {
      // Without listeners, the operating system ends the process.
      const listeners = process.listeners('SIGINT')
      process.removeAllListeners('SIGINT')
      return () => {
        for (const listener of listeners) process.on('SIGINT', listener)
      }
    },
    leaveInterrupts(notice = () => {}) {
      const before = stop
      stop = notice
      return () => {
        stop = before
      }
    },
    on(event, handle) {
      process.on(event, handle)
      return () => void process.off(event, handle)
    },
    raise: (signal) => void process.kill(signal === 'SIGTSTP' ? 0 : process.pid, signal),
  }
}

function startDetached(argv: readonly string[], env: Environment): boolean {
  const { spawn } = process.getBuiltinModule('node:child_process')
  try {
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...argv], {
      ...{ env, cwd: '/', detached: true, stdio: 'ignore', windowsHide: true },
    })
    child.on('error', () => {}) // Then it has no ID.
    child.unref()
    return child.pid !== undefined
  } catch {
    return false
  }
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined // Most commands do not need it.
  }
}

/** Milliseconds since a machine started, and those of them in which it slept. */
interface SleepReading {
  uptimeMs: number
  sleptMs: number
}

/** What an operating system tells about the time since its start. */
export interface SystemClocks {
  platform: NodeJS.Platform
  /** Returns the seconds since the start, including those of sleep. */
  uptime(): number
  /** Returns the nanoseconds of a clock that never goes back; on Linux, it stops during sleep. */
  monotonic(): bigint
  cpus(): Pick<CpuInfo, 'times'>[]
}

/** Returns the clocks of this machine. */
function systemClocks(): SystemClocks {
  const { uptime, cpus } = process.getBuiltinModule('node:os')
  return { platform: process.platform, uptime, monotonic: process.hrtime.bigint, cpus }
}

/**
 * Returns how long a machine has been on, and how much of that it slept: the uptime less the time awake. Where the time awake
 * is unknown, it never slept.
 */
export function readSleep(clocks: SystemClocks): SleepReading {
  const uptimeMs = clocks.uptime() * 1000
  return { uptimeMs, sleptMs: Math.max(0, uptimeMs - (awakeMs(clocks) ?? uptimeMs)) }
}

function awakeMs({ platform, monotonic, cpus }: SystemClocks): number | undefined {
  if (platform === 'linux') return Number(monotonic() / 1_000_000n)
  // On macOS and Windows that clock may include sleep; the times of a processor, idle or not, do not.
  const sums = cpus().map(({ times }) => Object.values(times).reduce((sum, ms) => sum + ms, 0))
  return sums.length > 0 ? Math.max(...sums) : undefined
}
