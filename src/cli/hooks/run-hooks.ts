import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { hooksDirectory, type Paths } from '../../config/paths.js'
import { errorMessage } from '../../lib/errors.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import { isBrokenLink } from '../../lib/sqlite/database-errors.js'
import { quoteWord } from '../../lib/text/shell-quoting.js'
import type { HookInputJson } from '../../records/shapes/entries.js'
import { type Entry, entryJson } from '../../tracking/entries/entry.js'
import { jsonText } from '../../ui/formats/json.js'
import type { Context } from '../context.js'
import type { HookPlan } from './hook-queue.js'

/** Upper bound for the entries of one change for which hooks run one by one. */
const maxEntries = 100
/** Time limit for all calls of one hook by a command, in milliseconds. */
const timeLimitMs = 2000

/** A call of a hook, and the JSON that it receives. */
interface HookCall {
  name: HookName
  json: HookInputJson
}

/** Runs the hooks for these changes one after the other. A failure is a warning. Never rejects. */
export async function runHooks(ctx: Context, plans: readonly HookPlan[]): Promise<void> {
  const hooks = hooksOf(ctx)
  if (hooks.size === 0) return
  for (const plan of plans)
    for (const { name, json } of await callsFor(plan, ctx.now)) await hooks.get(name)?.run(jsonText(json))
}

/** Returns the calls for a change: each entry in order, and for each `on-stop` or `on-start` before `on-change`. */
async function callsFor(plan: HookPlan, now: Date): Promise<HookCall[]> {
  if ('count' in plan) return [batchCall(plan.title, plan.count)]
  const entries = plan.changes.filter(({ kind }) => kind === 'entry')
  if (entries.length > maxEntries) return [batchCall(plan.title, entries.length)]
  const calls: HookCall[] = []
  for (const { before, after } of entries) {
    const [old, changed] = [
      before && (await plan.join({ record: before, pending: false })),
      after && (await plan.join(after)),
    ]
    const shown = changed ?? old
    if (!shown) continue
    const json = hookJson(shown, { before: old, after: changed }, now)
    const isRunning = (entry: Entry | null) => entry !== null && entry.end === null
    if (isRunning(old) && changed && !isRunning(changed)) calls.push({ name: 'on-stop', json })
    if (!isRunning(old) && isRunning(changed)) calls.push({ name: 'on-start', json })
    calls.push({ name: 'on-change', json })
  }
  return calls
}

function batchCall(title: string, count: number | null): HookCall {
  return { name: 'on-change', json: { operation: 'batch', title, count } }
}

/** Returns the JSON of the entry, the one before a deletion, and both versions. */
function hookJson(
  shown: Entry,
  { before, after }: { before: Entry | null; after: Entry | null },
  now: Date,
): HookInputJson {
  const json = (entry: Entry | null) => entry && entryJson(entry, now)
  const operation = after ? (before ? 'update' : 'create') : 'delete'
  return { ...entryJson(shown, now), operation, before: json(before), after: json(after) }
}

/** Returns the hooks of the user that can run. Warns of the others. */
function hooksOf(ctx: Context): Map<HookName, Hook> {
  const hooks = new Map<HookName, Hook>()
  for (const name of hookNames) {
    const file = findHook(ctx.config.paths, name)
    if (file?.problem !== undefined) ctx.terminal.warn(`The hook ${name} was not run. ${file.problem}`)
    else if (file) hooks.set(name, new Hook(ctx, name, file))
  }
  return hooks
}

interface HookRun {
  path: string
  /** The text on its standard input. */
  input: string
  env: Readonly<Record<string, string | undefined>>
  /** The working directory; undefined for that of this process. */
  cwd: string | undefined
  timeLimitMs: number
}

type HookOutcome =
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
function runHook({ path, input, env, cwd, timeLimitMs }: HookRun): Promise<HookOutcome> {
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
      // Once more to the event loop: a busy machine may not have read what is there already.
      drain = setTimeout(() => setImmediate(exited), drainMs)
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

class Hook {
  readonly #ctx: Context
  readonly #name: HookName
  readonly #file: HookFile
  #remainingMs = timeLimitMs

  constructor(ctx: Context, name: HookName, file: HookFile) {
    this.#ctx = ctx
    this.#name = name
    this.#file = file
  }

  /** Runs the hook with this input, unless its time is used up. */
  async run(input: string): Promise<void> {
    if (this.#remainingMs <= 0) return
    const startMs = monotonicMs()
    const { host } = this.#ctx
    const outcome = await runHook({
      path: this.#file.path,
      input: `${input}\n`,
      env: environmentFor(this.#ctx, this.#name),
      cwd: host.cwd(),
      timeLimitMs: this.#remainingMs,
    })
    this.#remainingMs -= monotonicMs() - startMs
    if (outcome.kind !== 'exited') this.#remainingMs = 0 // Its next calls would fail in the same way.
    this.#report(outcome)
  }

  #report(outcome: HookOutcome) {
    const { terminal } = this.#ctx
    if (outcome.kind === 'timeout') {
      terminal.warn(
        `The hook ${this.#name} was ended with its child processes: the hook has ${timeLimitMs / 1000} s for each command.`,
      )
    } else if (outcome.kind === 'not_started') {
      terminal.warn(`The hook ${this.#name} could not be started. ${outcome.reason}`)
    } else if (outcome.status === 0) {
      const output = `${outcome.stdout}${outcome.stderr}`.trimEnd()
      if (output !== '') terminal.message(output)
    } else {
      const { status } = outcome
      const [reason = ''] = outcome.stderr.trim().split('\n')
      const how = typeof status === 'number' ? `failed with exit code ${status}` : `was ended by ${status}`
      terminal.warn(`The hook ${this.#name} ${how}${reason === '' ? '.' : `: ${reason}`}`)
    }
  }
}

/**
 * Returns the environment of a hook: the hook's name, and the profile for a `tt` that it runs. That one runs no hooks, so
 * that none runs without end.
 */
function environmentFor({ host, config }: Context, name: HookName): Record<string, string | undefined> {
  const { profile } = config
  const env = { ...host.env, TT_HOOKS: '0', TT_HOOK: name }
  if (!profile.isNamed) return env
  // They would take precedence over TT_PROFILE.
  return { ...env, TT_PROFILE: profile.name, TT_BASE_URL: undefined, TT_TOKEN: undefined }
}

/** The names of hooks: the files in the directory of hooks that tt runs. */
const hookNames = ['on-stop', 'on-start', 'on-change'] as const

type HookName = (typeof hookNames)[number]

/** A hook that can run, or the reason why it must not, as a sentence. */
type HookFile = { path: string; problem?: undefined } | { path: string; problem: string }

/** Returns the file of a hook; undefined if there is none. Another user must not be able to change what tt runs. */
function findHook(paths: Paths, name: HookName): HookFile | undefined {
  const isWindows = process.platform === 'win32'
  const directory = hooksDirectory(paths)
  const path = join(directory, isWindows ? `${name}.exe` : name)
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats)
      return isBrokenLink(path) ? { path, problem: `${path} is a link to a missing file.` } : undefined
    if (!stats.isFile()) return { path, problem: `${path} is not a file.` }
    if (isWindows) return { path }
    const problem =
      accessProblem(statSync(directory), directory) ?? accessProblem(stats, path) ?? executionProblem(path)
    return problem === undefined ? { path } : { path, problem }
  } catch (error) {
    return { path, problem: `${path} cannot be read: ${errorMessage(error)}.` }
  }
}

/** Returns why another user could change a file or directory; undefined if none can, except root. */
function accessProblem({ uid, mode }: Stats, path: string): string | undefined {
  if (uid !== 0 && uid !== process.getuid?.()) return `${path} belongs to another user.`
  if ((mode & 0o022) === 0) return undefined
  return `Other users can write to ${path}. Run \`chmod go-w ${quoteWord(path)}\`.`
}

function executionProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return `${path} is not executable. Run \`chmod +x ${quoteWord(path)}\`.`
  }
}
