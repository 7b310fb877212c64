import { formatExactTime, formatTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { Delivery } from '../../outbox/delivery/delivery.js'
import type { PlannedChange } from '../../outbox/plan.js'
import type { PlannedLink } from '../catalog/catalog.js'
import { type Entry, labelOf, toEntry } from './entry.js'
import { definedFields, type EntryPlan, type EntryWriter, last, updateOf } from './entry-writer.js'
import type { RunningTimer } from './running-timer.js'

export interface StartResult {
  entry: Entry
  /** The entries that were running before. */
  stopped: Entry[]
  /** The entries whose end was moved back to the start. */
  trimmed: Entry[]
}

export interface StartOptions {
  /** Entries whose end is moved back to the start. */
  trim?: readonly Entry[] | undefined
  /** Returns the end of a running entry; by default, the start. */
  endOf?: ((running: Entry) => Date) | undefined
}

export interface StopResult {
  entry: Entry
  /** Entries that are still running: a service may have several. */
  stillRunning: Entry[]
}

export interface TimerControlParts {
  entryWriter: EntryWriter
  timer: RunningTimer
  delivery: Pick<Delivery, 'hasWork'>
  /** The time at which the command was started. */
  now: Date
}

/** How long a command may have waited for the lock behind commands that were started later, in milliseconds. */
const maxLockWaitMs = 60_000

/** Starts and stops the timer. */
export class TimerControl {
  readonly #parts: TimerControlParts

  constructor(parts: TimerControlParts) {
    this.#parts = parts
  }

  /** Begins to read the running timer for `start`, unless pending changes may change it. */
  beginStart(): void {
    const { timer, delivery } = this.#parts
    if (!delivery.hasWork()) timer.beginRead()
  }

  /**
   * Starts a timer at `at`. In the same change, stops running entries at that time, or where `endOf` says, and moves the
   * end of the entries in `trim` to it. Throws TtError `usage` if `at` is in the future or before the start of the running timer.
   */
  async start(
    task: PlannedLink,
    at: Date,
    notes: string | undefined,
    { trim = [], endOf = () => at }: StartOptions = {},
  ): Promise<StartResult> {
    const { timer, now } = this.#parts
    this.#checkNotInFuture(at)
    const { entries, before } = await this.#apply(async () => {
      const running = await timer.readForChange({ isOptional: true })
      const link = await task.resolve()
      const fields = { time_start: at.toISOString(), task_link_id: link.id, ...definedFields({ notes }) }
      const plan: EntryPlan = {
        title: `Started ${link.label} at ${formatTime(at, now)}`,
        steps: [
          ...trim.map((entry) => endingAt(entry, at)),
          ...running.map((entry) => endingAt(entry, this.#endOf(entry, endOf(entry)))),
          { kind: 'entry', op: 'create', fields },
        ],
        intention: { kind: 'start', at: at.getTime() },
      }
      // The trimmed entries may have changed since they were shown.
      const started = (id: string): Entry =>
        toEntry({ record: { time_end: null, notes: null, ...fields, id }, pending: true }, link)
      return { plan: trim.length === 0 ? plan : { ...plan, readAt: undefined }, timerAfter: started }
    })
    const entry = last(entries)
    timer.rememberSaved(entry, before)
    const ended = entries.slice(0, -1)
    return {
      entry,
      stopped: ended.slice(trim.length).filter(({ end }) => end !== null),
      trimmed: ended.slice(0, trim.length),
    }
  }

  /**
   * Stops the running timer at `at`. If `at` is a function, it receives the running entry, under the lock of the profile,
   * and returns the end; if it throws, the timer keeps running. Throws TtError `not_found` without a running timer, `usage` for an impossible time.
   */
  async stop(at: Date | ((running: Entry) => Date), notes: string | undefined): Promise<StopResult> {
    const { timer } = this.#parts
    let stillRunning: Entry[] = []
    const { entries, before } = await this.#apply(async () => {
      const [running, ...others] = await timer.readForChange({ isOptional: false })
      // After the clock was set back, every possible end is in the future.
      if (at instanceof Date && !(running && isClockBehind(running, this.#parts.now)))
        this.#checkNotInFuture(at)
      if (!running) throw timer.notRunningError()
      stillRunning = others
      const end = this.#endOf(running, at instanceof Date ? at : at(running))
      const fields = { time_end: end.toISOString(), ...definedFields({ notes }) }
      const plan: EntryPlan = {
        title: `Stopped ${labelOf(running)}`,
        steps: [updateOf(running, fields)],
        intention: { kind: 'stop', at: end.getTime(), leaves: others.map(({ id }) => String(id)) },
      }
      return { plan, timerAfter: () => others[0] }
    })
    timer.rememberSaved(stillRunning[0], before)
    return { entry: last(entries), stillRunning }
  }

  /**
   * Applies a plan, and saves the timer that runs after it in the same transaction, so that commands that do not wait for
   * the service find it. Returns the resulting entries, and the timer before.
   *
   * @param create returns the plan, and a function that returns the timer from the ID of the last record
   */
  async #apply(
    create: () => Promise<{ plan: EntryPlan; timerAfter(id: string): Entry | undefined }>,
  ): Promise<{ entries: Entry[]; before: Entry | undefined }> {
    const { entryWriter, timer } = this.#parts
    let before = timer.known
    let saved: { timer: Entry | undefined } | undefined
    try {
      const entries = await entryWriter.readAndApply(async () => {
        const { plan, timerAfter } = await create()
        return {
          ...plan,
          isCurrent: () => timer.isCurrent(),
          saveTimer: (ids) => {
            before = timer.known
            saved = { timer: timerAfter(last(ids)) }
            timer.save(saved.timer)
          },
        }
      })
      return { entries, before }
    } catch (error) {
      // A rejected change is stored, and its entry is shown.
      const isStored = error instanceof TtError && error.code === 'rejected'
      if (saved && !isStored) timer.restore(before, saved.timer)
      throw error
    }
  }

  /**
   * Returns the end of an entry that is stopped at `at`: that time, or the start of the entry if it is slightly later,
   * because typed times have whole seconds.
   */
  #endOf(entry: Entry, at: Date): Date {
    if (at >= entry.start) return at
    // Simultaneous commands get the lock in any order, and a service may have rounded the start up.
    const { now } = this.#parts
    const isNow = now.getTime() - at.getTime() < 1000
    if (entry.start.getTime() - at.getTime() < (isNow ? maxLockWaitMs : 1000)) return entry.start
    if (isClockBehind(entry, now)) throw clockError(entry, now)
    throw new TtError(
      'usage',
      `The running timer started at ${formatTime(entry.start, at)}, after ${formatTime(at)}.`,
      { hint: 'Give a later time.', nextStep: { action: 'edit_timer_start' } },
    )
  }

  #checkNotInFuture(at: Date) {
    const { now } = this.#parts
    if (at <= now) return
    throw new TtError('usage', `${formatTime(at, now)} is in the future.`, {
      hint: 'A timer starts and stops now or earlier.',
      nextStep: { action: 'add_entry' },
    })
  }
}

function endingAt(entry: Entry, end: Date): PlannedChange {
  return { ...updateOf(entry, { time_end: end.toISOString() }), isIndependent: true }
}

/** Whether a running entry started so much later than now that the clock must have been set back since. */
export function isClockBehind(running: Entry, now: Date): boolean {
  return running.start.getTime() - now.getTime() >= maxLockWaitMs
}

/** Returns the error for a timer that cannot end now, because the clock was set back to before its start. */
export function clockError(running: Entry, now: Date): TtError {
  const problem = `The clock shows ${formatTime(now)}, but the running timer started at ${formatTime(running.start, now)}`
  return new TtError('usage', `${problem}: the clock was set back.`, {
    nextStep: { action: 'end_timer', start: formatExactTime(running.start) },
  })
}
