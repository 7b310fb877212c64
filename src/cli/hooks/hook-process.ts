import { type ChildProcess, spawn } from 'node:child_process'
import { errorMessage } from '../../lib/errors.js'

export interface HookRun {
  path: string
  /** The text on its standard input. */
  input: string
  env: Readonly<Record<string, string | undefined>>
  /** The working directory; undefined for that of this process. */
  cwd: string | undefined
  timeLimitMs: number
}

export type HookOutcome =
  /** `status` is the exit code, or the name of the signal that ended it. */
  | { kind: 'exited'; status: number | string; stdout: string; stderr: string }
  | { kind: 'timeout' }
  /** It could not be started; `reason` is a sentence. */
  | { kind: 'not_started'; reason: string }

/** Upper bound for the output of a hook that is shown, in characters for each stream; the rest is discarded. */
const maxOutput = 4096
/** How long to wait for output after the end of a hook whose child processes hold its streams open, in milliseconds. */
const drainMs = 50

/**
 * Runs a hook in a process group of its own, and resolves when the hook has ended. At the time limit, and if this process
 * ends first, kills the whole group. Child processes that outlive the hook are not waited for. Never rejects.
 */
export function runHook({ path, input, env, cwd, timeLimitMs }: HookRun): Promise<HookOutcome> {
  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      child = spawn(path, [], { env, cwd, detached: process.platform !== 'win32', windowsHide: true })
    } catch (error) {
      resolve({ kind: 'not_started', reason: `${errorMessage(error)}.` })
      return
    }
    const kill = () => killGroup(child)
    process.on('exit', kill)
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    let drain: NodeJS.Timeout | undefined
    const finish = (outcome: HookOutcome) => {
      clearTimeout(timer)
      clearTimeout(drain)
      process.off('exit', kill)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      child.unref()
      resolve(outcome)
    }
    const timer = setTimeout(() => {
      kill()
      finish({ kind: 'timeout' })
    }, timeLimitMs)
    child.on('error', (error: NodeJS.ErrnoException) =>
      finish({ kind: 'not_started', reason: startError(error) }),
    )
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      const exited = () =>
        finish({ kind: 'exited', status: code ?? signal ?? 0, stdout: stdout(), stderr: stderr() })
      child.on('close', exited)
      drain = setTimeout(exited, drainMs)
    })
    // A hook may end, or close its input, without reading it.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Reads a stream to its end, so that the writer never waits. Returns a function that returns the beginning of its text. */
function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (part: string) => {
    if (text.length <= maxOutput) text += part
  })
  stream?.on('error', () => {})
  return () => (text.length > maxOutput ? `${text.slice(0, maxOutput)}…` : text)
}

function killGroup(child: ChildProcess) {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'])
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
}

/** Returns the reason why a file that exists could not be started. */
function startError(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT')
    return 'The interpreter in its first line ("#!") or the working directory does not exist.'
  if (error.code === 'ENOEXEC') return 'It is neither a program for this machine nor a script.'
  if (error.code === 'EACCES')
    return 'The system does not allow running it, such as on a file system without programs.'
  return `${error.message}.`
}
