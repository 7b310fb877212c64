import type { Api } from '../api/endpoints.js'
import { Cache } from '../cache/cache.js'
import type { ClientState } from '../cache/client-state.js'
import type { Catalog } from '../catalog/catalog.js'
import { Changes, type Reachability } from '../outbox/changes.js'
import { Delivery } from '../outbox/delivery/delivery.js'
import type { Sync, SyncParts } from '../outbox/delivery/sync.js'
import { History } from '../outbox/history.js'
import { Outbox } from '../outbox/outbox.js'
import { Tracking } from './entries.js'
import { EntryReader, type Sources } from './entry-reader.js'
import { RunningTimer, type RunningTimerParts } from './running-timer.js'

/** What the parts of this room are made of. */
export interface RoomParts {
  api: Api
  catalog: Catalog
  state: ClientState
  /** The service is in this process: it always answers, and does nothing twice. */
  isLocal: boolean
  /** How the service is reached; undefined in the local workspace. */
  reach: (Reachability & NonNullable<SyncParts['reach']>) | undefined
  /** Held by the process of the profile that delivers. */
  lockPath: string
  /** The moment that the command was typed. */
  now: Date
  clock: () => Date
  /** Milliseconds since this machine started; undefined where unknown. */
  uptimeMs?: (() => number) | undefined
  /** Whether the service, by its latest response, creates nothing twice for one Idempotency-Key. */
  honoursKeys(): boolean
  warn(text: string): void
  warnLast(text: string): void
  stale: Sources['stale']
  showTimer: RunningTimerParts['showTimer']
}

/** Everything that reads and changes what is tracked, put together. */
export interface Room {
  outbox: Outbox
  /** Undefined in the local workspace. */
  cache: Cache | undefined
  changes: Changes
  history: History
  timer: RunningTimer
  tracking: Tracking
  /** What delivers the outbox on demand, and decides about what was set aside. */
  sync(): Promise<Sync>
  stale: Sources['stale']
}

export function openRoom(parts: RoomParts): Room {
  const { api, catalog, state, isLocal, reach, now, clock, uptimeMs, honoursKeys, warn, warnLast, stale } =
    parts
  const outbox = new Outbox(state)
  const cache = isLocal ? undefined : new Cache(state.database)
  const delivery = new Delivery({
    ...{ api, state, outbox, cache, clock, uptimeMs, isLocal, honoursKeys },
    warn: warnLast,
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
    reach,
    lockPath,
    now,
    clock,
    warn,
    warnLast,
  })
  const reader = new EntryReader({ api, catalog, outbox, cache, now, stale })
  const { showTimer } = parts
  const timer = new RunningTimer({ reader, state, now, comparesWithNull: isLocal, warn, showTimer })
  const tracking = new Tracking({
    catalog,
    reader,
    changes,
    timer,
    now,
    unreachable: () => reach?.failure,
  })
  const sync = async () => {
    const { Sync } = await import('../outbox/delivery/sync.js')
    return new Sync({ state, outbox, delivery, duplicates, clock, reach, lockPath })
  }
  return { outbox, cache, changes, history, timer, tracking, sync, stale }
}
