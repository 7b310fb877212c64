import type { Api } from '../../api/api.js'
import type { Cache } from '../../cache/cache.js'
import type { ClientState } from '../../cache/client-state.js'
import type { NextStep } from '../../lib/next-step.js'
import type { Outbox } from '../outbox.js'

/** What the delivery of the outbox works with. */
export interface DeliveryParts {
  api: Api
  state: ClientState
  outbox: Outbox
  /** Undefined in the local workspace. */
  cache: Cache | undefined
  clock: () => Date
  /** Milliseconds since this machine started; undefined where unknown. */
  uptimeMs?: (() => number) | undefined
  /** The service is in this process: it always responds, and does nothing twice. */
  isLocal: boolean
  /** Whether the service, by its latest response, creates nothing twice for one Idempotency-Key. */
  supportsKeys(): boolean
  warn(message: string, nextStep?: NextStep): void
}
