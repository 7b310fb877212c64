import type { Api } from '../../api-client/api.js'
import type { KnownCapabilities } from '../../api-client/capabilities.js'
import type { Id } from '../../api-client/types.js'
import type { TryWithLock } from '../../lib/lock.js'
import type { BackgroundDeliveryParts } from '../../outbox/background-delivery.js'
import type { Cache } from '../../outbox/cache/cache.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import type { ChangeApplier, ChangeApplierParts, ServiceStatus } from '../../outbox/change-applier.js'
import type { ServiceFacts } from '../../outbox/delivery/change-sender.js'
import { Delivery } from '../../outbox/delivery/delivery.js'
import type { Clocks } from '../../outbox/delivery/settling-time.js'
import { History } from '../../outbox/history.js'
import { InvoicedRecords } from '../../outbox/invoiced-records.js'
import { Notices } from '../../outbox/notices.js'
import { Outbox } from '../../outbox/outbox.js'
import type { WithPending } from '../../outbox/pending.js'
import type { AppliedPlan } from '../../outbox/plan.js'
import type { Sync, SyncParts } from '../../outbox/sync.js'
import type { Catalog } from '../catalog/catalog.js'
import { OpenPeriodChanges, type OpenPeriodParts } from './closed-period.js'
import { Entries } from './entries.js'
import type { Entry } from './entry.js'
import { EntryWriter } from './entry-writer.js'
import { EntryReader } from './reading/entry-reader.js'
import type { ReadSources } from './reading/read-sources.js'
import { RunningTimer, type RunningTimerParts } from './running-timer.js'
import { TimerControl } from './timer-control.js'

/** The parts that a tracker is built from. */
export interface TrackerParts {
  api: Api
  catalog: Catalog
  state: ClientState
  capabilities: KnownCapabilities
  /** See `Profile`. */
  hasDelivery: boolean
  /** The cached records of the service; undefined in the local workspace. */
  cache: Cache | undefined
  /** The circuit breaker of the service; undefined in the local workspace. */
  circuitBreaker: (ServiceStatus & NonNullable<SyncParts['circuitBreaker']>) | undefined
  /** The lock of the process that delivers the changes of the profile. */
  lockPath: string
  /** The time at which the command was started. */
  now: Date
  clock: () => Date
  /** Resolves after this number of milliseconds. */
  pause: SyncParts['pause']
  /** Returns the milliseconds since this machine started; undefined where that is unknown. */
  uptimeMs?: (() => number) | undefined
  sleepClock?: RunningTimerParts['sleepClock']
  facts: ServiceFacts
  warn: ChangeApplierParts['warn']
  warnAfterOutput: ChangeApplierParts['warnAfterOutput']
  warnStale: ReadSources['warnStale']
  /** Updates the prompt file; see `ShowTimer`. */
  showTimer(running: Entry | undefined, before: Entry | undefined, hasProblem: boolean): void
  company: OpenPeriodParts['company']
  printsNotices: boolean
  /** See `ChangeApplierParts`. */
  sendLater?: (() => void) | undefined
  takeCreated?: ChangeApplierParts['takeCreated']
  confirmInvoiced: ChangeApplierParts['confirmInvoiced']
  /**
   * Receives each plan once its changes are stored.
   *
   * @param join returns the entry of a record, with its task link
   */
  onApplied?(applied: AppliedPlan, join: (record: WithPending) => Promise<Entry>): void
}

/** The objects that read and change entries, and deliver changes. */
export interface Tracker {
  outbox: Outbox
  /** undefined in the local workspace, which is always available. */
  cache: Cache | undefined
  clocks: Clocks
  changes: ChangeApplier
  /** What deliveries in the background have found. */
  notices: Notices
  /** Sends all pending changes in a process of its own; see `BackgroundDelivery`. */
  deliverInBackground(
    parts: Omit<
      BackgroundDeliveryParts,
      'outbox' | 'delivery' | 'notices' | 'lock' | 'clock' | 'pause' | 'circuitBreaker'
    >,
  ): Promise<void>
  history: History
  /** Which entries and expenses are on an invoice. */
  invoiced: InvoicedRecords
  timer: RunningTimer
  entries: Entries
  entryWriter: EntryWriter
  timerControl: TimerControl
  /** Returns the delivery on demand, which also retries and discards rejected changes. */
  sync(): Promise<Sync>
  warnStale: ReadSources['warnStale']
}

/** Creates the parts of a tracker and connects them. */
export function createTracker(parts: TrackerParts): Tracker {
  const {
    api,
    catalog,
    state,
    capabilities,
    hasDelivery,
    cache,
    circuitBreaker,
    now,
    clock,
    pause,
    uptimeMs,
    facts,
    warn,
    warnAfterOutput,
    warnStale,
    sendLater,
    printsNotices,
  } = parts
  const outbox = new Outbox(state)
  const notices = new Notices(state, outbox, clock)
  const delivery = new Delivery({
    ...{ api, state, capabilities, outbox, cache, clock, uptimeMs, hasDelivery, facts },
    warn: warnAfterOutput,
    labelOf: ({ id, task_link_id: link }) => catalog.knownLabel(link as Id | null) ?? `Entry ${id}`,
    recordDelivery: (failure) => notices.recordDelivery(failure),
  })
  const lock: TryWithLock = hasDelivery
    ? async (work, options) => (await import('../../lib/lock.js')).tryWithLock(parts.lockPath, work, options)
    : (work) => state.exclusively(work)
  const duplicates = async () => {
    const { findDuplicates } = await import('../../outbox/delivery/duplicates.js')
    return findDuplicates({ api, state, outbox, cache, clock })
  }
  const history = new History(state)
  const invoiced = new InvoicedRecords(state)
  const changes = new OpenPeriodChanges({
    company: parts.company,
    state,
    capabilities,
    history,
    invoiced,
    confirmInvoiced: parts.confirmInvoiced,
    outbox,
    delivery,
    duplicates,
    cache,
    circuitBreaker,
    hasDelivery,
    lock,
    now,
    clock,
    warn,
    warnAfterOutput,
    ...{ notices, printsNotices, sendLater },
    takeCreated: parts.takeCreated,
    onApplied: (applied) => parts.onApplied?.(applied, (record) => reader.joinLinkAfterChange(record)),
  })
  const clocks = { clock, uptimeMs }
  const reader = new EntryReader({
    api,
    catalog,
    outbox,
    cache,
    invoiced,
    capabilities,
    now,
    clocks,
    warnStale,
  })
  const timer = new RunningTimer({
    reader,
    state,
    now,
    comparesWithNull: !hasDelivery,
    sleepClock: parts.sleepClock,
    connectionFailure: () => circuitBreaker?.failure,
    warn,
    prefersKnown: sendLater !== undefined,
    clocks,
    showTimer: (running, before) => parts.showTimer(running, before, hasProblem()),
  })
  const hasProblem = () =>
    hasDelivery &&
    (outbox.rejectedCount() > 0 || (notices.lastFailure !== undefined && outbox.pendingCount() > 0))
  const entries = new Entries({ reader, changes, timer, hasDelivery })
  const entryWriter = new EntryWriter({ catalog, reader, changes, timer, now })
  const timerControl = new TimerControl({ entryWriter, timer, delivery, now })
  const sync = async () => {
    const { Sync } = await import('../../outbox/sync.js')
    return new Sync({ state, outbox, delivery, duplicates, clock, pause, circuitBreaker, lock })
  }
  const deliverInBackground: Tracker['deliverInBackground'] = async (own) => {
    const { BackgroundDelivery } = await import('../../outbox/background-delivery.js')
    const common = { outbox, delivery, notices, lock, clock, pause, circuitBreaker }
    await new BackgroundDelivery({ ...common, ...own }).run()
  }
  return {
    outbox,
    cache,
    clocks,
    changes,
    notices,
    deliverInBackground,
    history,
    invoiced,
    timer,
    entries,
    entryWriter,
    timerControl,
    sync,
    warnStale,
  }
}
