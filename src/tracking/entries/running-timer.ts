import { isInconclusive } from '../../api-client/api-errors.js'
import { formatTime } from '../../lib/calendar/time.js'
import { errorMessage, TtError } from '../../lib/errors.js'
import { minuteMs } from '../../lib/time-units.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import { type ClockReading, type Clocks, isRecent, readClocks } from '../../outbox/delivery/settling-time.js'
import { durationOf, type Entry, entryFromJson, entryJson, labelOf } from './entry.js'
import { type EntryReader, type ReadOptions, recentStart } from './reading/entry-reader.js'

export interface RunningTimerParts {
  reader: EntryReader
  state: ClientState
  /** The time at which the command was started. */
  now: Date
  /** Whether the service is known to find entries without an end by `time_end_eq`, which the API document leaves open. */
  comparesWithNull: boolean
  /** The error after which this command sends no more requests; undefined without one. */
  connectionFailure(): TtError | undefined
  warn(text: string): void
  /** Returns how long this machine has been on since it started, and how much of that it slept. */
  sleepClock?: (() => { uptimeMs: number; sleptMs: number }) | undefined
  /** Whether changes use the timer that is known on this machine instead of reading it from the service. */
  prefersKnown: boolean
  /** Updates the file for shell prompts if the timer has changed. Never fails. */
  showTimer(running: Entry | undefined, before: Entry | undefined): void
  clocks: Clocks
}

/** A read that runs while the command waits for other responses. */
interface BegunRead {
  /** The known timer when it began. */
  before: Entry | undefined
  running: Promise<Entry[]>
  /** When the response arrived; undefined before. */
  arrival?: ClockReading
}

/** The running timer, and its local copy, which shell prompts show without the service. */
export class RunningTimer {
  readonly #parts: RunningTimerParts
  /** The known timer at the last read. */
  #lastRead: Entry | undefined
  #begun: BegunRead | undefined

  constructor(parts: RunningTimerParts) {
    this.#parts = parts
  }

  /** The running timer in the client state. */
  get known(): Entry | undefined {
    const timer = this.#parts.state.snapshot('timer')?.value
    return timer ? entryFromJson(timer) : undefined
  }

  /** The time since which running entries are searched: 31 days ago, or the start of the known timer. */
  get openSince(): Date {
    return recentStart(this.#parts.now, this.known?.start)
  }

  /**
   * Returns all running entries, the latest start first. Warns if the timer in the client state has ended in another
   * client.
   */
  async read(options: ReadOptions = {}): Promise<Entry[]> {
    let before: Entry | undefined
    let running: Entry[]
    do {
      const begun = this.#takeBegun()
      before = begun ? begun.before : this.known
      running = await (begun?.running ?? this.#read(options))
      // Another command has changed the timer, and the response may be older than that.
    } while (!isSameTimer(before, this.known))
    this.#lastRead = before
    if (before && this.#parts.reader.isFresh && !includes(running, before)) await this.#warnOfEnd(before)
    return running
  }

  /** Begins the read of `readForChange`, with which the next read continues unless it takes place much later. */
  beginRead(): void {
    const { prefersKnown, comparesWithNull } = this.#parts
    // The local workspace reads it in the transaction of the change.
    if (prefersKnown || comparesWithNull) return
    const begun: BegunRead = {
      before: this.known,
      running: this.#read({ silent: true, allowEmpty: true }).finally(() => {
        begun.arrival = readClocks(this.#parts.clocks)
      }),
    }
    // The next read throws it.
    begun.running.catch(() => {})
    this.#begun = begun
  }

  /** Returns the read of `beginRead` once, unless its response may be outdated. */
  #takeBegun(): BegunRead | undefined {
    const begun = this.#begun
    this.#begun = undefined
    return begun?.arrival && !isRecent(begun.arrival, this.#parts.clocks) ? undefined : begun
  }

  /**
   * Returns the running entries for a change of them, the latest start first: the known ones for a command that does not
   * wait for the service.
   *
   * @param isOptional whether it suffices to know that no timer runs
   */
  async readForChange({ isOptional }: { isOptional: boolean }): Promise<Entry[]> {
    const stored = this.#parts.prefersKnown ? this.#parts.state.snapshot('timer') : undefined
    if (stored && (stored.value || isOptional)) {
      const { known } = this
      const running = await this.#parts.reader.knownRunning(this.openSince)
      const isTimer = (entry: Entry) => known !== undefined && isSameEntry(known, entry)
      // A list may have shown its end.
      if (!known || running.some(isTimer)) {
        this.#lastRead = known
        return running
      }
    }
    return this.read({ silent: true, allowEmpty: isOptional })
  }

  /** Whether changes use the timer that is known on this machine, as far as there is one. */
  get prefersKnown(): boolean {
    return this.#parts.prefersKnown
  }

  /** Whether the known timer is still the one of the last read. */
  isCurrent(): boolean {
    return isSameTimer(this.#lastRead, this.known)
  }

  /** @param before the timer that the file for shell prompts shows */
  remember(entry: Entry | undefined, before = this.known) {
    const { state, warn, showTimer } = this.#parts
    try {
      showTimer(entry, before)
      if (!this.#isSaved(entry)) state.atomically(() => this.save(entry))
    } catch (error) {
      // The change is saved; a failing command would be repeated.
      const reason = errorMessage(error)
      warn(`The saved state of the timer is not up to date: ${reason}`)
    }
  }

  /** Remembers the result of the last read, unless another command has changed the timer since. */
  rememberRead(entry: Entry | undefined) {
    if (this.isCurrent()) this.remember(entry)
  }

  /** Stores the running timer, in the open transaction of the change that starts or stops it. */
  save(entry: Entry | undefined) {
    const { state, now, sleepClock } = this.#parts
    const { known } = this
    state.saveSnapshot('timer', entry ? entryJson(entry, now) : null, now)
    if (entry && !isSameEntry(entry, known)) state.saveSnapshot('timer_sleep', sleepClock?.() ?? null, now)
  }

  /**
   * Remembers the timer after the change with which it was saved, unless another command has changed it since.
   *
   * @param before the timer before the change
   */
  rememberSaved(entry: Entry | undefined, before: Entry | undefined) {
    const { known } = this
    if (entry ? !isSameEntry(entry, known) : known) return
    // The service may have stored it with more fields.
    if (!entry || (entry.pending && isSameTimer(entry, known))) this.#parts.showTimer(entry, before)
    else this.remember(entry, before)
  }

  /** Stores the timer before a change that is not saved after all; `saved` is the one that was stored with it. */
  restore(before: Entry | undefined, saved: Entry | undefined) {
    if (isSameTimer(saved, this.known)) this.remember(before)
  }

  /** Updates the file for shell prompts with the known timer. */
  show() {
    const { known } = this
    this.#parts.showTimer(known, known)
  }

  /** Whether the client state has the timer since less than a minute: writing it again would only flush the disk. */
  #isSaved(entry: Entry | undefined): boolean {
    const { state, now } = this.#parts
    const saved = state.snapshot('timer')
    if (!saved || Math.abs(now.getTime() - saved.at.getTime()) >= minuteMs) return false
    const textOf = (timer: Record<string, unknown> | null) =>
      JSON.stringify(timer && { ...timer, duration_seconds: 0 })
    return textOf(saved.value) === textOf(entry ? entryJson(entry, now) : null)
  }

  /** Returns for how many seconds of a running entry this machine slept, as far as it is known. */
  sleptSeconds(running: Entry): number {
    const before = this.#parts.state.snapshot('timer_sleep')?.value
    const clock = before && isSameEntry(running, this.known) ? this.#parts.sleepClock?.() : undefined
    if (!before || !clock) return 0
    // After a restart, both count anew.
    const earlierMs = clock.uptimeMs >= before.uptimeMs ? before.sleptMs : 0
    const seconds = Math.floor((clock.sleptMs - earlierMs) / 1000)
    return Math.max(0, Math.min(seconds, durationOf(running, this.#parts.now)))
  }

  /** Stores the running timer after a change, if it can be read. Never fails. */
  async refresh(): Promise<void> {
    try {
      this.#lastRead = this.known
      const { prefersKnown, reader } = this.#parts
      const running = prefersKnown
        ? await reader.knownRunning(this.openSince)
        : await this.#read({ silent: true, allowEmpty: true })
      this.rememberRead(running[0])
    } catch (error) {
      if (!(error instanceof TtError)) throw error
    }
  }

  /** Returns the TtError `not_found` for a command that needs a running timer. */
  notRunningError(): TtError {
    const limitation = this.#parts.connectionFailure() ? ' in the local data' : ''
    return new TtError('not_found', `No timer is running${limitation}.`, {
      nextStep: { action: 'start_or_add' },
    })
  }

  async #read(options: ReadOptions): Promise<Entry[]> {
    const { reader, comparesWithNull } = this.#parts
    const running = await reader.running(this.openSince, comparesWithNull, options)
    const { known } = this
    if (reader.isComplete || !known || includes(running, known)) return running
    // The list may lack the timer.
    const entry = await this.#find(known)
    if (!entry || entry.end !== null || includes(running, entry)) return running
    return [...running, entry].sort((a, b) => b.start.getTime() - a.start.getTime())
  }

  /** Reads the entry of the known timer. Returns undefined if it was deleted, and null if it cannot be read. */
  async #find({ id }: Entry): Promise<Entry | undefined | null> {
    const { reader } = this.#parts
    const found = await reader.byId(String(id)).catch((error: unknown) => {
      if (!isInconclusive(error)) throw error
      return null
    })
    return found && reader.joinLink(found)
  }

  /** Warns that the timer in the client state has ended in another client, so that time is not tracked twice. */
  async #warnOfEnd(known: Entry) {
    const { now, warn } = this.#parts
    const entry = await this.#find(known)
    if (entry === null) warn(`${labelOf(known)}, which ran here, has ended elsewhere.`)
    else if (!entry) warn(`${labelOf(known)}, which ran here, was deleted elsewhere.`)
    else if (entry.end && !entry.pending) {
      const times = `${formatTime(entry.start, now)}–${formatTime(entry.end, entry.start)}`
      warn(`${labelOf(entry)}, which ran here, was stopped elsewhere (${times}).`)
    }
    if (!this.isCurrent()) return
    this.remember(undefined)
    this.#lastRead = undefined
  }
}

/** Whether both are the same entry: it gets another ID when it is sent, so equal starts count too. */
export function isSameEntry(one: Entry, other: Entry | undefined): boolean {
  return other !== undefined && (one.id === other.id || one.start.getTime() === other.start.getTime())
}

function isSameTimer(a: Entry | undefined, b: Entry | undefined): boolean {
  const identityOf = (entry: Entry | undefined) =>
    entry && JSON.stringify([String(entry.id), entry.start, entry.link?.id, entry.notes])
  return identityOf(a) === identityOf(b)
}

function includes(entries: readonly Entry[], { id }: Entry): boolean {
  return entries.some((entry) => String(entry.id) === String(id))
}
