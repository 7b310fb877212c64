import type { Api } from '../api/endpoints.js'
import { Cache } from './cache.js'
import type { Catalog } from './catalog.js'
import { Changes, type Reachability } from './changes.js'
import { Delivery } from './delivery.js'
import { Outbox } from './outbox.js'
import { EntryReader, type Sources } from './reading.js'
import type { ClientState } from './state.js'
import { Tracking } from './tracking.js'

/** What the parts of this room are made of. */
export interface RoomParts {
  api: Api
  catalog: Catalog
  state: ClientState
  /** The service is in this process: it always answers, and does nothing twice. */
  isLocal: boolean
  /** How the service is reached; undefined in the local workspace. */
  reach: Reachability | undefined
  /** Held by the process of the profile that delivers. */
  lockPath: string
  /** The moment that the command was typed. */
  now: Date
  clock: () => Date
  warn(text: string): void
  stale: Sources['stale']
}

/** Everything that reads and changes what is tracked, put together. */
export interface Room {
  outbox: Outbox
  /** Undefined in the local workspace. */
  cache: Cache | undefined
  changes: Changes
  tracking: Tracking
  stale: Sources['stale']
}

export function openRoom(parts: RoomParts): Room {
  const { api, catalog, state, isLocal, reach, now, clock, warn, stale } = parts
  const outbox = new Outbox(state)
  const cache = isLocal ? undefined : new Cache(state.database)
  const delivery = new Delivery({ api, state, outbox, cache, clock, honoursKeys: isLocal })
  const lockPath = isLocal ? undefined : parts.lockPath
  const changes = new Changes({ state, outbox, delivery, cache, reach, lockPath, now, warn })
  const reader = new EntryReader({ api, catalog, outbox, cache, now, stale })
  const tracking = new Tracking({
    catalog,
    reader,
    changes,
    state,
    now,
    comparesWithNull: isLocal,
    unreachable: () => reach?.failure,
    warn,
  })
  return { outbox, cache, changes, tracking, stale }
}
