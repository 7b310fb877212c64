import type { ExpectedRecord } from './model.js'
import type { ProxiedRequest, ProxiedResponse } from './proxy.js'

/** A change in the output of `tt sync list --json`. */
export interface ListedChange {
  id: number
  state: string
  op: string
  kind: ExpectedRecord['kind']
  record: string
  notes: string | null
  /** Whether it was sent, and the service may have applied it. */
  in_doubt: boolean
  fields: Record<string, unknown>
  message: string | null
  candidates?: (string | number)[]
}

/** The creates of a user that the service has executed: they show which record a create of unknown outcome has made. */
export class SentCreates {
  /** The fields that were sent, by the ID of the record. */
  readonly #created = new Map<string, Record<string, unknown>>()
  readonly #claimed = new Set<string>()

  /** Adds a request that the service has executed, if it created a record. */
  add({ method, body }: ProxiedRequest, response: ProxiedResponse) {
    if (method !== 'POST' || (response.status !== 201 && response.status !== 200)) return
    const fields = JSON.parse(body) as Record<string, unknown>
    const value = JSON.parse(response.body) as unknown
    const { id } = (Array.isArray(value) ? value[0] : value) as { id: unknown }
    this.#created.set(String(id), (fields.expense as Record<string, unknown> | undefined) ?? fields)
  }

  /** Returns the candidate that the user's own request has created, which no other change has claimed; undefined if none. */
  claim({ candidates = [], fields }: ListedChange): string | undefined {
    const own = candidates.map(String).find((id) => {
      const created = this.#created.get(id)
      return created && !this.#claimed.has(id) && isSameContent(created, fields)
    })
    if (own !== undefined) this.#claimed.add(own)
    return own
  }
}

/** Whether two records are equal except for the formats of their fields. */
function isSameContent(one: Record<string, unknown>, other: Readonly<Record<string, unknown>>): boolean {
  const instant = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : value)
  return (
    one.notes === other.notes &&
    instant(one.time_start) === instant(other.time_start) &&
    one.spent_on === other.spent_on &&
    Number(one.amount ?? 0) === Number(other.amount ?? 0)
  )
}
