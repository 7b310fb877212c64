import { ExpiredSignInError } from '../api-client/api-errors.js'
import { type ClientState, writeIfPossible } from '../cache/client-state.js'
import { type ErrorCode, TtError } from '../lib/errors.js'
import type { Notice } from '../lib/next-step.js'
import { rejectedMessage } from './messages.js'
import type { Outbox } from './outbox.js'
import { isRejected, type QueuedChange } from './queued-change.js'

/** What a delivery in the background has found, and the next command prints. */
export interface StoredNotices {
  notices: Notice[]
  /** The numbers of the changes that it has rejected. */
  rejected: number[]
}

/** How the last delivery ended. */
export interface LastDelivery {
  /** The error that stopped it; null if none did. */
  failure: { code: ErrorCode; message: string; isExpiredSignIn: boolean; profile?: string } | null
}

/** The most notices that are stored: a command prints each of them. */
const maxNotices = 20

/** The results of deliveries that the user has not seen yet, in the client state. */
export class Notices {
  readonly #state: ClientState
  readonly #outbox: Outbox
  readonly #clock: () => Date

  constructor(state: ClientState, outbox: Outbox, clock: () => Date) {
    this.#state = state
    this.#outbox = outbox
    this.#clock = clock
  }

  /** Stores what the next command prints. */
  add(notices: readonly Notice[], rejected: readonly QueuedChange[]): void {
    if (notices.length === 0 && rejected.length === 0) return
    writeIfPossible(() =>
      this.#state.atomically(() => {
        const stored = this.#read()
        const texts = new Set(stored.notices.map(({ message }) => message))
        this.#save({
          notices: [...stored.notices, ...notices.filter(({ message }) => !texts.has(message))].slice(
            -maxNotices,
          ),
          rejected: [...new Set([...stored.rejected, ...rejected.map(({ seq }) => seq)])].slice(-maxNotices),
        })
      }),
    )
  }

  /** Returns what was stored, without changes that were decided since, and forgets it. */
  take(): Notice[] {
    if (!this.#hasAny()) return []
    const { notices, rejected } = this.#state.atomically(() => {
      const stored = this.#read()
      this.#save({ notices: [], rejected: [] })
      return stored
    })
    const changes = rejected.flatMap((seq) => this.#outbox.get(seq) ?? [])
    return [...notices, ...changes.filter(({ state }) => isRejected(state)).map(rejectedMessage)]
  }

  /** Records how a delivery ended. */
  recordDelivery(failure: TtError | undefined): void {
    if (!failure && !this.lastFailure) return
    const record: LastDelivery = { failure: failure ? toRecord(failure) : null }
    writeIfPossible(() => this.#state.saveSnapshot('delivery', record, this.#clock()))
  }

  /** The error that stopped the last delivery, and when; undefined if none did. */
  get lastFailure(): { error: TtError; at: Date } | undefined {
    const last = this.#state.snapshot('delivery')
    const failure = last?.value.failure
    if (!last || !failure) return undefined
    const { code, message, isExpiredSignIn, profile } = failure
    return {
      error: isExpiredSignIn ? new ExpiredSignInError(profile) : new TtError(code, message),
      at: last.at,
    }
  }

  #hasAny(): boolean {
    const { notices, rejected } = this.#read()
    return notices.length > 0 || rejected.length > 0
  }

  #read(): StoredNotices {
    return this.#state.snapshot('notices')?.value ?? { notices: [], rejected: [] }
  }

  #save(notices: StoredNotices) {
    this.#state.saveSnapshot('notices', notices, this.#clock())
  }
}

function toRecord(failure: TtError): NonNullable<LastDelivery['failure']> {
  const isExpiredSignIn = failure instanceof ExpiredSignInError
  const profile = isExpiredSignIn ? failure.profile : undefined
  return {
    ...{ code: failure.code, message: failure.message, isExpiredSignIn },
    ...(profile === undefined ? {} : { profile }),
  }
}
