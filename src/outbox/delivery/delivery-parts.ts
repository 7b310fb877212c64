import type { Api } from '../../api-client/api.js'
import type { KnownCapabilities } from '../../api-client/capabilities.js'
import type { WireRecord } from '../../api-client/types.js'
import type { TtError } from '../../lib/errors.js'
import type { NextStep } from '../../lib/next-step.js'
import type { Cache } from '../cache/cache.js'
import type { ClientState } from '../cache/client-state.js'
import type { Outbox } from '../outbox.js'
import type { ServiceFacts } from './change-sender.js'

/** The objects that the delivery of the outbox uses. */
export interface DeliveryParts {
  api: Api
  state: ClientState
  capabilities: KnownCapabilities
  outbox: Outbox
  /** undefined in the local workspace. */
  cache: Cache | undefined
  clock: () => Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
  /** See `Profile`. Without delivery, a request is repeated only after a crash, and has no further effect then. */
  hasDelivery: boolean
  facts: ServiceFacts
  /** Returns the name of the task of an entry. */
  labelOf(record: WireRecord): string
  /** Records the error that stopped a delivery to a service; undefined if none did. */
  recordDelivery(failure: TtError | undefined): void
  warn(message: string, nextStep?: NextStep): void
}
