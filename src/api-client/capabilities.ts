import { dayMs } from '../lib/time-units.js'

/**
 * What responses of a service have shown about what it accepts, where service-api-v1.md says nothing. A service is expected
 * to accept what is unknown.
 */
export interface Capabilities {
  /** It rejects time entries without an end. */
  openEntries: 'refused'
  /** It rejects or ignores the filter `time_end_gteq` on time entries, or fails on it, which may be temporary. */
  endFilter: 'unsupported' | 'failed'
  /** It rejects the media type of lists with fewer fields, instead of sending another one (RFC 9110 section 12.4.1). */
  compactLists: 'refused'
  /** The date field of expenses, which section 2 does not name. */
  expenseDate: KnownExpenseDate
  /**
   * The page size of the lists at a path of a service without pagination headers: a shorter list is complete. Null for a path
   * that ignores the parameter `page`.
   */
  [pageSize: `pageSize ${string}`]: number | null
}

interface KnownExpenseDate {
  /** The name of the field at the service. */
  name: string
  /** False if the service rejects filters by the field. */
  isFilterable: boolean
}

/** The capabilities of a service that are known, between commands. */
export interface KnownCapabilities {
  /** Returns what is known, and since when. Returns undefined if the next request tries it, perhaps another time. */
  get<Name extends keyof Capabilities>(name: Name): { value: Capabilities[Name]; at: Date } | undefined
  /** Stores what a response has shown; undefined for a service that accepts it. Ignores errors of the disk. */
  set<Name extends keyof Capabilities>(name: Name, value: Capabilities[Name] | undefined): void
}

/** After this time in milliseconds a service that did not accept something may do so, and the next request tries it again. */
export function retryAfterMs(value: Capabilities[keyof Capabilities]): number {
  if (value === 'failed') return dayMs
  return value === 'refused' || value === 'unsupported' ? 30 * dayMs : Number.POSITIVE_INFINITY
}
