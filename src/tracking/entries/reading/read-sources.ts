import type { Api } from '../../../api-client/api.js'
import type { KnownCapabilities } from '../../../api-client/capabilities.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import type { Cache } from '../../../outbox/cache/cache.js'
import type { Coverage } from '../../../outbox/cache/fetched-ranges.js'
import type { Clocks } from '../../../outbox/delivery/settling-time.js'
import type { InvoicedRecords } from '../../../outbox/invoiced-records.js'
import type { Outbox } from '../../../outbox/outbox.js'
import type { Catalog } from '../../catalog/catalog.js'

/** What entries are read from. */
export interface ReadSources {
  api: Api
  catalog: Catalog
  outbox: Outbox
  /** undefined in the local workspace, which is always available. */
  cache: Cache | undefined
  invoiced: InvoicedRecords
  capabilities: KnownCapabilities
  now: Date
  clocks: Clocks
  /** Warns that cached data is used, with the error of the service. */
  warnStale(error: unknown, known: Coverage, predicates?: Predicates): void
}
