import type { Api } from '../api/api.js'
import { Cache } from '../cache/cache.js'
import type { ClientState } from '../cache/client-state.js'
import type { Catalog } from '../catalog/catalog.js'
import { Changes, type ChangesParts, type ServiceStatus } from '../outbox/changes.js'
import { Delivery } from '../outbox/delivery/delivery.js'
import { History } from '../outbox/history.js'
import { Outbox } from '../outbox/outbox.js'
import type { Sync, SyncParts } from '../outbox/sync.js'
import { Entries } from './entries.js'
import { EntryReader, type ReadSources } from './entry-reader.js'
import { RunningTimer, type RunningTimerParts } from './running-timer.js'

/** What the parts of this room are made of. */
export interface TrackerParts {
  api: Api
  catalog: Catalog
  state: ClientState
  /** The service is in this process: it always answers, and does nothing twice. */
  isLocal: boolean
  /** How the service is reached; undefined in the local workspace. */
  circuitBreaker: (ServiceStatus & NonNullable<SyncParts['circuitBreaker']>) | undefined
  /** Held by the process of the profile that delivers. */
  lockPath: string
  /** The moment that the command was typed. */
  now: Date
  clock: () => Date
  /** Milliseconds since this machine started; undefined where unknown. */
  uptimeMs?: (() => number) | undefined
  /** Whether the service, by its latest response, creates nothing twice for one Idempotency-Key. */
  supportsKeys(): boolean
  warn: ChangesParts['warn']
  warnAfterOutput: ChangesParts['warnAfterOutput']
  warnStale: ReadSources['warnStale']
  showTimer: RunningTimerParts['showTimer']
}

/** Everything that reads and changes what is tracked, put together. */
export interface Tracker {
  outbox: Outbox
  /** Undefined in the local workspace. */
  cache: Cache | undefined
  changes: Changes
  history: History
  timer: RunningTimer
  entries: Entries
  /** What delivers the outbox on demand, and decides about what was set aside. */
  sync(): Promise<Sync>
  warnStale: ReadSources['warnStale']
}

export function createTracker(parts: TrackerParts): Tracker {
  const {
    api,
    catalog,
    state,
    isLocal,
    circuitBreaker,
    now,
    clock,
    uptimeMs,
    supportsKeys,
    warn,
    warnAfterOutput,
    warnStale,
  } = parts
  const outbox = new Outbox(state)
  const cache = isLocal ? undefined : new Cache(state.database)
  const delivery = new Delivery({
    ...{ api, state, outbox, cache, clock, uptimeMs, isLocal, supportsKeys },
    warn: warnAfterOutput,
  })
  const lockPath = isLocal ? undefined : parts.lockPath
  const duplicates = async () => {
    const { findDuplicates } = await import('../outbox/delivery/duplicates.js')
    return findDuplicates({ api, state, outbox, cache, clock })
  }
  const history = new History(state)
  const changes = new Changes({
    state,
    history,
    outbox,
    delivery,
    duplicates,
    cache,
    circuitBreaker,
    lockPath,
    now,
    clock,
    warn,
    warnAfterOutput,
  })
  const reader = new EntryReader({ api, catalog, outbox, cache, now, warnStale })
  const { showTimer } = parts
  const timer = new RunningTimer({ reader, state, now, comparesWithNull: isLocal, warn, showTimer })
  const entries = new Entries({
    catalog,
    reader,
    changes,
    timer,
    now,
    connectionFailure: () => circuitBreaker?.failure,
  })
  const sync = async () => {
    const { Sync } = await import('../outbox/sync.js')
    return new Sync({ state, outbox, delivery, duplicates, clock, circuitBreaker, lockPath })
  }
  return { outbox, cache, changes, history, timer, entries, sync, warnStale }
}
