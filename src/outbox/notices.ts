import { ExpiredSignInError } from '../api-client/api-errors.js'
import { type ErrorCode, TtError } from '../lib/errors.js'
import type { Notice } from '../lib/next-step.js'
import { countText } from '../lib/text/words.js'
import { type ClientState, writeIfPossible } from './cache/client-state.js'
import { rejectedMessage } from './messages.js'
import type { Outbox } from './outbox.js'
import { isRejected, type QueuedChange } from './queued-change.js'

/** What a delivery in the background has found, and the next command prints. */
export interface StoredNotices {
  notices: Notice[]
  /** How many earlier notices are dropped; absent for none. */
  dropped?: number
  /** The numbers of the changes that it has rejected. */
  rejected: number[]
}

/** How the last delivery ended. */
export interface LastDelivery {
  /** The error that stopped it; null if none did. */
  failure: { code: ErrorCode; message: string; isExpiredSignIn: boolean; profile?: string } | null
}

/** The most notices that are stored, and the most rejected changes that are returned with their reasons. */
const maxNotices = 20

/** The results of deliveries that the user has not seen yet, in the client state. */
export class Notices {
  readonly #state: ClientState
  readonly #outbox: Outbox
  readonly #clock: () => Date
  #returnedRejections = 0

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
        const all = [...stored.notices, ...notices.filter(({ message }) => !texts.has(message))]
        this.#save({
          notices: all.slice(-maxNotices),
          dropped: (stored.dropped ?? 0) + Math.max(0, all.length - maxNotices),
          rejected: [...new Set([...stored.rejected, ...rejected.map(({ seq }) => seq)])],
        })
      }),
    )
  }

  /** Returns what was stored, without changes that were decided since, and forgets it. */
  take(): Notice[] {
    if (!this.#hasAny()) return []
    const { notices, dropped, rejected } = this.#state.atomically(() => {
      const stored = this.#read()
      this.#save({ notices: [], rejected: [] })
      return stored
    })
    const changes = rejected
      .flatMap((seq) => this.#outbox.get(seq) ?? [])
      .filter(({ state }) => isRejected(state))
    const shown = changes.slice(0, maxNotices)
    this.#returnedRejections += shown.length
    return [
      ...(dropped ? [droppedNotice(dropped)] : []),
      ...notices,
      ...shown.map(rejectedMessage),
      ...(changes.length > shown.length ? [moreRejectedNotice(changes.length - shown.length)] : []),
    ]
  }

  /** The number of rejected changes that `take` has returned with their reasons in this process. */
  get returnedRejections(): number {
    return this.#returnedRejections
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

function droppedNotice(count: number): Notice {
  const verb = count === 1 ? 'is' : 'are'
  return {
    message: `${countText(count, 'earlier message')} about sending in the background ${verb} not stored.`,
  }
}

function moreRejectedNotice(count: number): Notice {
  const verb = count === 1 ? 'was' : 'were'
  return {
    message: `${countText(count, 'more change')} ${verb} rejected.`,
    nextStep: { action: 'list_changes' },
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
