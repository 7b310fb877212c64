import type { Api } from '../../api/api.js'
import {
  ExpiredSignInError,
  InvalidResponseError,
  isInconclusive,
  RejectedError,
  UnreachableError,
} from '../../api/errors.js'
import type { ExpenseFields, TimeEntryFields, WireFields, WireRecord } from '../../api/types.js'
import type { Cache } from '../../cache/cache.js'
import { type ClientState, expenseDateMemory, writeIfPossible } from '../../cache/client-state.js'
import { TtError } from '../../lib/errors.js'
import { fieldsNotIn } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange, Rejection } from '../queued-change.js'
import {
  isOpenEntryRejection,
  makeLocal,
  makeLocalAgain,
  mayConcernEnd,
  openEntriesSnapshot,
} from './local-timer.js'
import type { LookupResult } from './lost-create.js'
import { saveResentCreate } from './resent-creates.js'
import type { SettlingChange } from './settling-time.js'
import { differenceWarning } from './sync-messages.js'

export interface DeliveryParts {
  api: Api
  state: ClientState
  outbox: Outbox
  /** Undefined in the local workspace, which always answers itself. */
  cache: Cache | undefined
  clock: () => Date
  /** Milliseconds since this machine started; undefined where unknown. */
  uptimeMs?: (() => number) | undefined
  /** The service is in this process: it always answers, and does nothing twice. */
  isLocal: boolean
  /** Whether the service, by its latest response, creates nothing twice for one Idempotency-Key. */
  supportsKeys(): boolean
  warn(text: string): void
}

export interface DeliveryOptions {
  /** Changes whose record was read from the service by this very command: nobody has come between. */
  fresh?: ReadonlySet<number>
  /** When to leave the rest to the next command; as `uptimeMs` counts. */
  deadlineMs?: number
  /** Looks up again what this process has looked up before. */
  repeatLookups?: boolean
  /** Told after each change how far it is. */
  onProgress?(round: DeliveryResult): void
}

/** What came of a round of delivery. */
export interface DeliveryResult {
  delivered: number
  /** What was set aside in this round. */
  rejected: QueuedChange[]
  /** Why the rest waits: the service cannot be reached, or does not accept the token. */
  failure: TtError | undefined
  /** Creates with an unknown outcome that are not sent again yet. */
  settling: readonly SettlingChange[]
}

/** How often in a row a change is sent that the service says it took, and did not. */
const patience = 3

/** How often a change is sent that the service fails on (500). */
const mostFailures = 15

/** Loaded when a change has waited: what is delivered at once needs neither. */
const conflicts = () => import('./conflicts.js')
const doubt = () => import('./lost-create.js')

/**
 * Delivers the outbox, in order and exactly once. One process at a time may do so for a profile.
 *
 * Before a change is sent, that it is being sent reaches the disk. A create whose answer never came is looked for before
 * it is sent again; an update or a delete is compared with what the service has, so that nothing is overwritten that
 * somebody else has changed meanwhile. A delivered change leaves the outbox in the transaction that records the answer.
 */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #outbox: Outbox
  readonly #state: ClientState
  /** What the service has of the records that this process has delivered, or found changed; by number of the change. */
  readonly responses = new Map<number, WireRecord>()
  /** Creates that this process has looked up, and does not send again yet. */
  readonly #postponed = new Map<number, SettlingChange>()
  /** Changes whose record was found to be changed elsewhere, after the command has read it. */
  readonly #stale = new Set<number>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#outbox = parts.outbox
    this.#state = parts.state
  }

  /** Delivers what waits, until something stops it. What is no trouble of the service is thrown. */
  async run({
    fresh = new Set(),
    deadlineMs,
    repeatLookups: again = false,
    onProgress: progress,
  }: DeliveryOptions = {}): Promise<DeliveryResult> {
    const round: DeliveryResult = { delivered: 0, rejected: [], failure: undefined, settling: [] }
    this.#forgetPostponed(again)
    for (let change = this.next(); change; change = this.next()) {
      if (deadlineMs !== undefined && monotonicMs() > deadlineMs) break
      try {
        const aside = await this.#deliver(change, fresh.has(change.seq) && !this.#stale.has(change.seq))
        if (aside) round.rejected.push(aside)
        else round.delivered++
        progress?.(round)
      } catch (error) {
        if (error instanceof SupersededError) continue
        if (error instanceof Postponed) {
          this.#postponed.set(change.seq, error.settling)
          continue
        }
        if (!(error instanceof TtError) || !stopsDelivery(error)) throw error
        round.failure = error
        break
      }
    }
    return { ...round, settling: [...this.#postponed.values()] }
  }

  /** The change that is delivered next; undefined when none is, or when all others wait for creates that are settling. */
  next(): QueuedChange | undefined {
    return this.#outbox.next(this.#postponed)
  }

  #forgetPostponed(all: boolean) {
    const now = this.#parts.clock().getTime()
    for (const [seq, { until }] of this.#postponed)
      if (all || (until !== undefined && until <= now)) this.#postponed.delete(seq)
  }

  /** Answers the change as it was set aside, or undefined when it is delivered. */
  async #deliver(change: QueuedChange, fresh: boolean): Promise<QueuedChange | undefined> {
    try {
      if (change.op === 'create') return await this.#create(change)
      return await (change.op === 'update' ? this.#update(change, fresh) : this.#delete(change, fresh))
    } catch (error) {
      const stuck = this.#stuckWith(change, error)
      if (stuck) return stuck
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      if (isOpenEntryRejection(change, error)) return this.#hold(change)
      return this.#setAside(change, 'refused', { message: saidBy(error), ...statusOf(error) })
    }
  }

  /**
   * A service that fails on one change again and again, and answers what is asked before it, would never get to what
   * waits behind: the change is set aside, and stays in doubt. So does one that a firewall rejects for its content.
   */
  #stuckWith({ seq }: QueuedChange, error: unknown): QueuedChange | undefined {
    const isFailure = error instanceof UnreachableError && error.status === 500
    const isBlocked = error instanceof InvalidResponseError && error.status === 403
    if (!isFailure && !isBlocked && !(error instanceof NotDeletedError)) return undefined
    const change = this.#outbox.get(seq)
    if (!change || change.attempts < mostFailures) return undefined
    const what = isBlocked ? 'The request was blocked' : 'The service has failed on it'
    const message = `${what} ${change.attempts} times. ${error.message}`
    const said = { message, status: error.status ?? 500 }
    const { outcomeUnknown, sentAt, sentUptimeMs, sends } = change
    return this.#setAside(change, 'refused', said, { outcomeUnknown, sentAt, sentUptimeMs, sends })
  }

  async #create(change: QueuedChange): Promise<QueuedChange | undefined> {
    const { api, isLocal, supportsKeys } = this.#parts
    if (change.outcomeUnknown && !isLocal) {
      const { found, edited, incomplete } = await this.#lookUp(change)
      if (found) return this.#settle(change, found)
      if (edited) return this.#adoptEdited(change, edited)
      if (!supportsKeys()) await this.#postponeUntilSettled(change, incomplete)
    }
    const { kind, fields, key } = change
    try {
      const made = await this.#send(change, () =>
        kind === 'entry'
          ? api.createTimeEntry(fields as TimeEntryFields, { key })
          : api.createExpense(fields as ExpenseFields, { key }),
      )
      return this.#settle({ ...change, sends: change.sends + 1 }, made)
    } catch (error) {
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      // An earlier request may have arrived since, and the service may reject what is there already.
      const { found } = change.outcomeUnknown && !isLocal ? await this.#lookUp(change) : {}
      if (found) return this.#settle(change, found)
      // What is refused as well when it has its end was refused for something else.
      if (kind === 'entry' && !isOpenEntryRejection(change, error) && mayConcernEnd(error))
        writeIfPossible(() => this.#state.saveSnapshot(openEntriesSnapshot, null, this.#parts.clock()))
      throw error
    }
  }

  async #lookUp(change: QueuedChange): Promise<LookupResult> {
    const { api, cache } = this.#parts
    return (await doubt()).findLostCreate(change, { api, cache, outbox: this.#outbox })
  }

  /** Throws Postponed while an earlier request of a create may still arrive, and while the service sends incomplete lists. */
  async #postponeUntilSettled(change: QueuedChange, incomplete: string | undefined) {
    const { clock, uptimeMs } = this.#parts
    const { seq } = change
    const { remainingSettlingMs: settlingLeftMs, settlingMs } = await import('./settling-time.js')
    let leftMs = settlingLeftMs(change, this.#parts)
    if (leftMs === undefined) {
      // No clock shows when it was sent: the time begins now.
      const sent = { sentAt: clock().getTime(), sentUptimeMs: uptimeMs?.() ?? null }
      this.#outbox.update({ ...change, ...sent })
      leftMs = settlingMs
    }
    if (incomplete !== undefined) throw new Postponed({ seq, until: undefined })
    if (leftMs > 0) throw new Postponed({ seq, until: clock().getTime() + leftMs })
  }

  /** The create has made this record, and its notes were changed elsewhere: which are right is for the user to decide. */
  async #adoptEdited(change: QueuedChange, record: WireRecord): Promise<QueuedChange | undefined> {
    const { cache, clock } = this.#parts
    const { editedElsewhere: editedElsewhereError } = await conflicts()
    const rejection = editedElsewhereError(record, change)
    const { seq, kind, record: name, fields } = change
    const id = String(record.id)
    const adopted = this.#state.atomically(() => {
      this.#refuseOvertaken(change)
      cache?.store(kind, record, clock())
      this.#outbox.renameRecord(kind, name, id)
      const later = this.#outbox.changesOf(kind, id).filter((one) => one.seq !== seq)
      for (const one of later) {
        this.#stale.add(one.seq)
        // Its notes were typed without knowing those there: it has the conflict itself.
        const base = one.base && { ...one.base, ...record, notes: one.base.notes }
        this.#outbox.update({ ...one, base })
      }
      if (kind === 'entry') this.#settleTimer(name, record)
      if (later.some((one) => one.op === 'delete' || 'notes' in one.fields)) {
        this.#outbox.remove(seq)
        return undefined
      }
      const typed = { fields: { notes: fields.notes ?? null }, base: record }
      const aside: QueuedChange = {
        ...change,
        ...typed,
        ...unsent,
        op: 'update',
        record: id,
        state: 'conflict',
        rejection,
      }
      this.#outbox.update(aside)
      return aside
    })
    this.responses.set(seq, record)
    return adopted
  }

  async #update(change: QueuedChange, fresh: boolean): Promise<QueuedChange | undefined> {
    const { fields } = change
    const current = fresh ? undefined : await this.#read(change)
    if (current === 'gone') return this.#setAsideGone(change)
    const { remaining, conflicting } = current
      ? (await conflicts()).compareWithBase(current, change)
      : { remaining: fields, conflicting: {} }
    let answer = current
    if (Object.keys(remaining).length > 0) {
      const sent = await this.#send(change, () => this.#sendUpdate(change, remaining)).catch(orGone)
      if (sent === 'gone') return this.#setAsideGone(change)
      answer = sent
    }
    if (!answer) throw new Error(`Change ${change.seq} changes nothing.`)
    if (Object.keys(conflicting).length === 0) return this.#settle(change, answer)
    const { fieldConflict: conflictError } = await conflicts()
    const said = conflictError(answer, { ...change, fields: conflicting })
    // A retry may overwrite what was told of, and nothing that comes after it.
    const aside = this.#setAside(change, 'conflict', said, { fields: conflicting, base: answer })
    this.responses.set(change.seq, answer)
    return aside
  }

  /** Something between may say yes in the service's place; a service that says so each time will not do it. */
  async #sendUpdate(change: QueuedChange, left: WireFields): Promise<WireRecord> {
    const { api } = this.#parts
    const { kind, record } = change
    for (let attempt = 1; attempt <= patience; attempt++) {
      const answer = await (kind === 'entry'
        ? api.updateTimeEntry(record, left as TimeEntryFields)
        : api.updateExpense(record, left))
      if (Object.keys(left).some((name) => answer[name] === left[name])) return answer
      if (!(await conflicts()).isUntouched(answer, left, change)) return answer
    }
    const message = `The service says that it took the change of ${kind} ${record}, but has it as it was before.`
    throw new RejectedError('rejected', message, { reason: '', fields: [] })
  }

  async #delete(change: QueuedChange, fresh: boolean): Promise<QueuedChange | undefined> {
    const { kind, record } = change
    const { api } = this.#parts
    const current = fresh ? undefined : await this.#read(change)
    if (current === 'gone') return this.#settle(change, undefined)
    const moved = current && (await conflicts()).changedElsewhere(current, change)
    if (moved) {
      const aside = this.#setAside(change, 'conflict', moved, { base: current })
      this.responses.set(change.seq, current)
      return aside
    }
    await this.#send(change, () =>
      kind === 'entry' ? api.deleteTimeEntry(record) : api.deleteExpense(record),
    ).catch((error) => this.#proveDeleted(change, error))
    return this.#settle(change, undefined)
  }

  /** Throws what the deletion has failed with, unless it is done: on 404, and on an invalid response when the record is gone. */
  async #proveDeleted(change: QueuedChange, failure: unknown): Promise<void> {
    if (isGone(failure)) return
    if (!(failure instanceof InvalidResponseError)) throw failure
    const current = await this.#read(change).catch((error: unknown) => {
      // Where the record cannot be read either, it is read when delivery is tried again.
      throw error instanceof TtError ? failure : error
    })
    if (current !== 'gone') throw new NotDeletedError(failure)
  }

  /** The record as the service has it now. */
  async #read({ kind, record, base }: QueuedChange): Promise<WireRecord | 'gone'> {
    const { api, cache, clock } = this.#parts
    const day = typeof base?.spent_on === 'string' ? base.spent_on : undefined
    const orListed = async (error: unknown) => {
      if (!(error instanceof InvalidResponseError)) throw error
      return (await doubt()).findListed(api, record, base?.time_start)
    }
    const reading: Promise<WireRecord> =
      kind === 'entry' ? api.getTimeEntry(record).catch(orListed) : api.getExpense(record, day)
    const current = await reading.catch(orGone)
    writeIfPossible(() => {
      if (current === 'gone') cache?.remove(kind, record)
      else cache?.store(kind, current, clock())
    })
    return current
  }

  /** Sends, after it has reached the disk that this is done; what surely came to nothing is no more in doubt than before. */
  async #send<Answer>(change: QueuedChange, work: () => Promise<Answer>): Promise<Answer> {
    const { cache, clock, uptimeMs, isLocal } = this.#parts
    // Sent twice with the same key, it is made once; updates and deletes come to the same when they are repeated.
    if (isLocal) return work()
    const knownUntil = change.knownUntil ?? cache?.lastRow() ?? null
    const attempts = change.attempts + 1
    const sends = change.sends + 1
    const sent = { sentAt: clock().getTime(), sentUptimeMs: uptimeMs?.() ?? null, sends }
    this.#state.atomically(() => {
      this.#refuseOvertaken(change)
      this.#outbox.update({ ...change, ...sent, attempts, knownUntil, outcomeUnknown: true })
    })
    try {
      return await work()
    } catch (error) {
      const surelyNot = (error instanceof UnreachableError && error.isUnsent) || isUnauthorized(error)
      // What was surely not done this time is as unknown as it was before.
      if (surelyNot) writeIfPossible(() => this.#outbox.update({ ...change, attempts, knownUntil }))
      throw error
    }
  }

  /** The change is done; what the service answered takes its place. */
  #settle(change: QueuedChange, answer: WireRecord | undefined): undefined {
    const { cache, clock } = this.#parts
    const { seq, kind, op, record, fields, knownUntil, sends } = change
    this.#state.atomically(() => {
      this.#refuseOvertaken(change)
      // Known to this command even when the disk does not take what follows.
      if (answer) this.responses.set(seq, answer)
      this.#outbox.remove(seq)
      if (!answer) {
        cache?.remove(kind, record)
        return
      }
      cache?.store(kind, answer, clock())
      const id = String(answer.id)
      if (op === 'create') this.#outbox.renameRecord(kind, record, id)
      if (op === 'create' && sends > 1 && !this.#parts.supportsKeys())
        saveResentCreate(this.#state, {
          ...{ kind, id, fields, knownUntil },
          ...{ typedAt: change.typedAt.getTime(), sentAt: change.sentAt, at: clock().getTime() },
        })
      const settled = op === 'create' ? answer : picked(answer, Object.keys(fields))
      // What the service made of it, say without the seconds, is what later changes start from.
      for (const later of this.#outbox.changesOf(kind, id)) {
        this.#outbox.update({ ...later, base: later.base && { ...later.base, ...settled } })
      }
      if (kind === 'entry') this.#settleTimer(record, answer)
    })
    if (answer) this.#warnAboutDifferences(change, answer)
  }

  #warnAboutDifferences(change: QueuedChange, answer: WireRecord) {
    const { clock, warn } = this.#parts
    const ownDate = expenseDateMemory(this.#state, clock).read()?.name
    // An end may have been set elsewhere since; a date under the service's own name is read as `spent_on`.
    const different = fieldsNotIn(answer, change.fields).filter(
      (name) => name !== 'time_end' && (name === 'spent_on' || name !== ownDate),
    )
    if (different.length > 0) warn(differenceWarning(change, answer, different))
  }

  /** What `tt status --cached` shows gets its id, and is pending no longer when nothing more waits. */
  #settleTimer(name: string, { id }: WireRecord) {
    const known = this.#state.knownTimer()
    if (!known?.timer || String(known.timer.id) !== name) return
    const { local_id: _, ...timer } = known.timer
    const pending = this.#outbox.changesOf('entry', String(id)).length > 0
    this.#state.rememberTimer({ ...timer, id, pending, ...(pending ? { local_id: null } : {}) }, known.at)
  }

  /** The service takes no open entries: this one, and those to come, are kept here until they have an end. */
  #hold(change: QueuedChange): undefined {
    const { cache } = this.#parts
    const there = cache?.get(change.kind, change.record)?.record ?? change.base
    if (change.op === 'update' && there) makeLocalAgain(change, there, this.#parts)
    else makeLocal(change, this.#parts)
  }

  async #setAsideGone(change: QueuedChange): Promise<QueuedChange> {
    const { deletedElsewhere: deletedElsewhereError } = await conflicts()
    return this.#setAside(change, 'conflict', deletedElsewhereError(change))
  }

  /** @param now what else it is from now on */
  #setAside(
    change: QueuedChange,
    state: 'refused' | 'conflict',
    said: Rejection,
    now: Partial<QueuedChange> = {},
  ): QueuedChange {
    const aside = { ...change, ...unsent, state, rejection: said, ...now }
    this.#state.atomically(() => {
      this.#refuseOvertaken(change)
      this.#outbox.update(aside)
    })
    return aside
  }

  /**
   * Until it is in doubt, any process may merge more into a change, or take it back: then what was read of it is not
   * what is to be delivered. Belongs into the transaction that relies on what was read.
   */
  #refuseOvertaken({ seq, fields }: QueuedChange) {
    const now = this.#outbox.get(seq)
    if (now?.outcomeUnknown) return
    if (!now || JSON.stringify(now.fields) !== JSON.stringify(fields)) throw new SupersededError()
  }
}

/** A change that was sent, if ever, to no effect. */
const unsent = { outcomeUnknown: false, sentAt: null, sentUptimeMs: null, sends: 0 }

/** A create with an unknown outcome is not sent again yet. */
class Postponed extends Error {
  constructor(readonly settling: SettlingChange) {
    super(`Change ${settling.seq} is not sent again yet.`)
  }
}

/** The response to a deletion was invalid, and the service still has the record. */
class NotDeletedError extends InvalidResponseError {
  constructor(cause: InvalidResponseError) {
    super(`The record was not deleted. ${cause.message}`, { status: cause.status, cause })
  }
}

/** Somebody has changed the change since it was read. */
class SupersededError extends Error {}

/** Milliseconds that only go forward. Not `performance.now()`, whose module no other part of a short command loads. */
export function monotonicMs(): number {
  return process.uptime() * 1000
}

/** Whether it stops delivery as a whole: no answer that tells anything, or a token that is not accepted. */
export function stopsDelivery(error: unknown): boolean {
  return (
    isInconclusive(error) || isUnauthorized(error) || (error instanceof RejectedError && error.status === 407)
  )
}

export function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof TtError) || error instanceof ExpiredSignInError) return false
  return error.code === 'unauthenticated' || error.code === 'insufficient_scope'
}

function isGone(error: unknown): boolean {
  return error instanceof TtError && error.code === 'not_found'
}

function orGone(error: unknown): 'gone' {
  if (isGone(error)) return 'gone'
  throw error
}

function picked(record: WireRecord, names: string[]): WireFields {
  return Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
}

function saidBy(error: RejectedError): string {
  return error.reason || error.message
}

function statusOf({ status }: RejectedError): Pick<Rejection, 'status'> {
  return status === undefined ? {} : { status }
}
