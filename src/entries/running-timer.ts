import { isInconclusive } from '../api/errors.js'
import type { ClientState } from '../cache/client-state.js'
import { formatTime } from '../calendar/time.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { type Entry, entryFromJson, entryJson, labelOf } from './entry.js'
import type { EntryReader, ReadOptions } from './entry-reader.js'

export interface RunningTimerParts {
  reader: EntryReader
  state: ClientState
  /** The moment that the command was typed. */
  now: Date
  /** The service is known to find the entries without an end by `time_end_eq`; the document does not say so. */
  comparesWithNull: boolean
  warn(text: string): void
  /** Has prompts show what runs, where that is not what ran before; fails nothing. */
  showTimer(running: Entry | undefined, before: Entry | undefined): void
}

/** The running timer, and the copy of it on this machine, which shell prompts show without the service. */
export class RunningTimer {
  readonly #parts: RunningTimerParts

  constructor(parts: RunningTimerParts) {
    this.#parts = parts
  }

  /** What this machine remembers to be running. */
  get known(): Entry | undefined {
    const timer = this.#parts.state.knownTimer()?.timer
    return timer ? entryFromJson(timer) : undefined
  }

  /**
   * All that runs, however long ago the timer that this machine knows of was started, the one that began last first:
   * a service may hold several. Says what became of the known one where it runs no more.
   */
  async read(options: ReadOptions = {}): Promise<Entry[]> {
    const { known } = this
    const running = await this.#read(options)
    if (known && this.#parts.reader.isFresh && !running.some(({ id }) => String(id) === String(known.id))) {
      await this.#tellEnded(known)
    }
    return running
  }

  remember(entry: Entry | undefined) {
    const { state, now, warn, showTimer } = this.#parts
    try {
      showTimer(entry, this.known)
      state.rememberTimer(entry ? entryJson(entry, now) : null, now)
    } catch (error) {
      // The change itself is done, and a command that says it failed would be repeated.
      const reason = errorMessage(error)
      warn(`The saved state of the timer is not up to date: ${reason}`)
    }
  }

  /** Remembers what runs after a change of this machine, as far as that can be known: it is not worth failing for. */
  async refresh(): Promise<void> {
    try {
      const [entry] = await this.#read({ silent: true, allowEmpty: true })
      this.remember(entry)
    } catch (error) {
      if (!(error instanceof TtError)) throw error
    }
  }

  #read(options: ReadOptions): Promise<Entry[]> {
    const { reader, now, comparesWithNull } = this.#parts
    return reader.running(this.known?.start ?? now, comparesWithNull, options)
  }

  /** The timer that this machine knows of ended without it: somebody should know who tracks time twice. */
  async #tellEnded(known: Entry) {
    const { reader, now, warn } = this.#parts
    const found = await reader.byId(String(known.id)).catch((error: unknown) => {
      if (!isInconclusive(error)) throw error
      return null
    })
    const entry = found && (await reader.joinLink(found))
    if (entry === null) warn(`${labelOf(known)}, which ran here, has ended elsewhere.`)
    else if (!entry) warn(`${labelOf(known)}, which ran here, was deleted elsewhere.`)
    else if (entry.end && !entry.pending) {
      const times = `${formatTime(entry.start, now)}–${formatTime(entry.end, entry.start)}`
      warn(`${labelOf(entry)}, which ran here, was stopped elsewhere (${times}).`)
    }
    this.remember(undefined)
  }
}
