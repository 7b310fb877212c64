import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { HookInputJson } from '../../records/shapes/entries.js'
import { type Entry, entryJson } from '../../tracking/entries/entry.js'
import { jsonText } from '../../ui/formats/json.js'
import type { Context } from '../context.js'
import { findHook, type HookFile, type HookName, hookNames } from './hook-file.js'
import { type HookOutcome, runHook } from './hook-process.js'
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
