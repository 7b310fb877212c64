import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Invocation } from '../../cli/command.js'
import { withContext } from '../../cli/context/with-context.js'
import type { Context } from '../../cli/context.js'
import { execute } from '../../cli/execute.js'
import { type NestedMessage, nestedOptions } from '../../cli/nested-command.js'
import { hintText } from '../../cli/next-step-text.js'
import { settingsPath } from '../../config/settings/settings-file.js'
import { dayOf } from '../../lib/calendar/day.js'
import { TtError } from '../../lib/errors.js'
import { contentOf, readWatchState, type WatchState } from './watch-state.js'

/** Whether the service responds; `reason` says why not. */
export type Connection = { kind: 'local' } | { kind: 'online' } | { kind: 'offline'; reason: string }

export interface WatchListener {
  /** Called after each read. */
  onRead(state: WatchState): void
  onConnection(connection: Connection): void
  onMessage(message: NestedMessage | { kind: 'error'; text: string }): void
  /** Called each second. */
  onTick(): void
}

const tickMs = 1000
/** How long to wait after an event of the file system, because a change writes several times, in milliseconds. */
const settleMs = 60
/** A difference between both clocks above this means that the clock was set, or that the machine was asleep. */
const clockJumpMs = 5000

/** The pause after a poll with a change, and the longest pauses without one and after failures, in milliseconds. */
const firstPauseMs = 15_000
const longestPauseMs = 60_000
const longestFailurePauseMs = 240_000

/** Decides when to ask the service next: less often while nothing changes, and still less often while it fails. */
export class PollSchedule {
  #pauseMs = firstPauseMs
  #nextMs = -Infinity
  readonly #random: () => number

  /** @param random from 0 to 1, for the jitter */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Whether the next poll is due, by a clock in milliseconds that is never set back. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextMs
  }

  /** Records the result of a poll. */
  record(result: 'changed' | 'unchanged' | 'failed', nowMs: number) {
    if (result === 'changed') this.#pauseMs = firstPauseMs
    else if (result === 'unchanged')
      this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 1.5))
    else this.#pauseMs = Math.min(longestFailurePauseMs, this.#pauseMs * 2)
    this.#nextMs = nowMs + this.#pauseMs * (0.75 + this.#random() / 4)
  }

  /** Makes a poll due at once, such as after the machine was asleep. */
  reset() {
    this.#pauseMs = firstPauseMs
    this.#nextMs = -Infinity
  }
}

/**
 * Notices that another process has changed a file. The change time is what counts; events of the operating system only
 * say when to look, because some file systems send none.
 */
export class WatchedFiles {
  readonly #paths: readonly string[]
  readonly #watchers: FSWatcher[] = []
  #seen: string

  /** @param onEvent called after an event of one of the files; it may have been caused by this process */
  constructor(paths: readonly string[], onEvent: () => void) {
    this.#paths = paths
    this.#seen = this.#signature()
    const names = new Set(paths.map((path) => basename(path)))
    for (const directory of new Set(paths.map((path) => dirname(path)))) {
      try {
        const watcher = watch(directory, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) onEvent()
        })
        watcher.on('error', () => watcher.close()) // The directory was removed.
        this.#watchers.push(watcher)
      } catch {
        // No directory yet, or no events left: the change time shows the same, up to a second later.
      }
    }
  }

  /** Returns whether a file has changed since the last call. */
  hasChanged(): boolean {
    const now = this.#signature()
    const changed = now !== this.#seen
    this.#seen = now
    return changed
  }

  close() {
    for (const watcher of this.#watchers) watcher.close()
  }

  #signature(): string {
    return this.#paths.map(fingerprint).join('\n')
  }
}

function fingerprint(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    // SQLite creates an empty log to read, and removes it again.
    if (!stats || stats.size === 0) return ''
    return `${stats.ino} ${stats.size} ${stats.mtimeMs}`
  } catch {
    return 'unreadable'
  }
}

/**
 * Keeps the entries of the last days up to date: reads them after each change of this process or another one, and from
 * time to time from the service. Reads and changes run one after the other; requests to a service run beside them.
 */
export class Watch {
  readonly #ctx: Context
  readonly #listener: WatchListener
  readonly #schedule = new PollSchedule()
  readonly #files: WatchedFiles
  #queue: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #poll: Promise<void> | undefined
  readonly #hasDelivery: boolean
  #connection: Connection
  #isClosed = false
  #clockOffsetMs = 0
  #nextTickMs = 0
  #state: WatchState | undefined
  #readError: unknown

  constructor(ctx: Context, listener: WatchListener) {
    this.#ctx = ctx
    this.#listener = listener
    const { paths, profile, database } = ctx.config
    this.#hasDelivery = profile.hasDelivery
    this.#connection = { kind: this.#hasDelivery ? 'online' : 'local' }
    const files = [database, `${database}-wal`, settingsPath(paths)]
    this.#files = new WatchedFiles(files, () => this.#scheduleTick(settleMs))
    this.#clockOffsetMs = this.#offsetMs()
  }

  get state(): WatchState | undefined {
    return this.#state
  }

  get connection(): Connection {
    return this.#connection
  }

  /** Reads the state for the first time, from the service if there is one, and starts to watch. Throws if it cannot be read. */
  async start(): Promise<void> {
    await (this.#hasDelivery ? this.#startPoll() : this.#read())
    if (!this.#state) throw this.#readError
    this.#scheduleTick(tickMs)
  }

  /** Runs a command on the profile and reads the state again. Throws its errors. */
  execute(invocation: Invocation, { canPrompt = false } = {}): Promise<unknown> {
    const options = nestedOptions(this.#ctx, { ...this.#listener, canPrompt })
    return this.#readAfter(() => execute(invocation, options, async (value) => value))
  }

  /** Runs `work` on the profile and reads the state again. Throws its errors. */
  run<Value>(work: (ctx: Context) => Promise<Value>): Promise<Value> {
    return this.#readAfter(() => this.#nested(work))
  }

  /** Stops watching. Resolves when the change in progress has ended. Does not wait for a poll. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#files.close()
    await this.#queue
  }

  #readAfter<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#enqueue(() => work().finally(() => this.#readNow()))
  }

  #nested<Value>(work: (ctx: Context) => Promise<Value>): Promise<Value> {
    return withContext(nestedOptions(this.#ctx, this.#listener), work)
  }

  #enqueue<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => undefined)
    return result
  }

  /** Lets the next check run after this time at the latest. */
  #scheduleTick(delayMs: number) {
    if (this.#isClosed) return
    const dueMs = performance.now() + delayMs
    if (this.#timer && this.#nextTickMs <= dueMs) return
    clearTimeout(this.#timer)
    this.#nextTickMs = dueMs
    this.#timer = setTimeout(() => this.#tick(), delayMs)
  }

  #tick() {
    this.#timer = undefined
    const offsetMs = this.#offsetMs()
    const isLate = performance.now() - this.#nextTickMs > clockJumpMs
    const wasAsleep = isLate || Math.abs(offsetMs - this.#clockOffsetMs) > clockJumpMs
    this.#clockOffsetMs = offsetMs
    const isNewDay = this.#state !== undefined && this.#state.day !== dayOf(this.#ctx.host.now())
    if (wasAsleep || isNewDay) this.#schedule.reset()
    if (this.#files.hasChanged() || wasAsleep || isNewDay) void this.#read()
    if (this.#hasDelivery && !this.#poll && this.#schedule.isDue(performance.now())) void this.#startPoll()
    this.#listener.onTick()
    // The clock on the screen changes with the seconds.
    this.#scheduleTick(tickMs - (this.#ctx.host.now().getTime() % tickMs) + 5)
  }

  /** The difference between the clock of the machine and one that is never set, and on most systems stops while it is asleep. */
  #offsetMs(): number {
    return this.#ctx.host.now().getTime() - performance.now()
  }

  #read(): Promise<void> {
    return this.#enqueue(() => this.#readNow())
  }

  /** Reads what is known on this machine. An error is a message, and the former state remains. */
  async #readNow() {
    try {
      const before = this.#state
      const state = await this.#nested((ctx) => readWatchState(ctx, { isPoll: false, before }))
      // A change that could not be sent shows earlier than the next poll that the service does not respond.
      if (before && state.pendingChanges > before.pendingChanges) this.#schedule.reset()
      this.#accept(state)
    } catch (error) {
      this.#readError = error
      if (this.#state) this.#listener.onMessage({ kind: 'error', text: errorText(error) })
    }
  }

  #startPoll(): Promise<void> {
    this.#poll ??= this.#pollService().finally(() => {
      this.#poll = undefined
    })
    return this.#poll
  }

  async #pollService() {
    const before = fingerprintOf(this.#state)
    const messages: NestedMessage[] = []
    try {
      // They are shown also while the service cannot be reached.
      await this.#nested(async (ctx) => (await ctx.tracker()).changes.printNotices())
      const onMessage = (message: NestedMessage) => void messages.push(message)
      const { state, failure } = await withContext(
        { ...nestedOptions(this.#ctx, { onMessage }), canQueue: true },
        async (ctx) => {
          const state = await readWatchState(ctx, { isPoll: true, before: this.#state })
          return { state, failure: (await ctx.circuitBreaker())?.failure }
        },
      )
      this.#schedule.record(resultOf(failure, before === fingerprintOf(state)), performance.now())
      this.#setConnection(failure ? { kind: 'offline', reason: failure.message } : { kind: 'online' })
      // While it is offline, the warnings only say so.
      if (!failure) for (const message of messages) this.#listener.onMessage(message)
      this.#accept(state)
    } catch (error) {
      if (this.#isClosed) return
      this.#schedule.record('failed', performance.now())
      this.#setConnection({ kind: 'offline', reason: errorText(error) })
      if (!(error instanceof TtError)) this.#listener.onMessage({ kind: 'error', text: errorText(error) })
      await this.#read()
    }
  }

  #setConnection(connection: Connection) {
    const isSame = connection.kind === this.#connection.kind
    this.#connection = connection
    if (!isSame) this.#listener.onConnection(connection)
  }

  #accept(state: WatchState) {
    if (this.#isClosed) return
    this.#state = state
    this.#listener.onRead(state)
  }
}

function resultOf(failure: TtError | undefined, isSame: boolean) {
  if (failure) return 'failed'
  return isSame ? 'unchanged' : 'changed'
}

/** Returns a text that differs if an entry differs. */
function fingerprintOf(state: WatchState | undefined): string {
  return JSON.stringify(state?.entries.map(contentOf))
}

/** Returns the message of an error with its hint. */
export function errorText(error: unknown): string {
  if (!(error instanceof TtError))
    return `Internal error: ${error instanceof Error ? error.message : String(error)}`
  return [error.message, hintText(error)].filter(Boolean).join(' ')
}
