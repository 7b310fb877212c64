import type { Generated } from 'kysely'

/**
 * The tables as they are stored. Instants are epoch milliseconds, days YYYY-MM-DD, booleans 0 and 1;
 * `amount_units` is the amount in ten-thousandths, because amounts are compared as numbers.
 */
export interface Schema {
  company: { id: number; name: string; currency: string; time_zone: string }
  users: { id: Generated<number>; email: string; name: string; active: number; created_at: number }
  tokens: {
    id: Generated<number>
    user_id: number
    /** SHA-256 of the token, hexadecimal: the token itself is nowhere. */
    hash: string
    /** Separated by spaces. */
    scopes: string
    name: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
  }
  clients: { id: Generated<number>; name: string }
  projects: { id: Generated<number>; client_id: number | null; name: string; active: number }
  tasks: { id: Generated<number>; name: string }
  task_links: { id: Generated<number>; project_id: number; task_id: number; active: number }
  assignments: {
    id: Generated<number>
    user_id: number
    project_id: number
    starts_on: string | null
    ends_on: string | null
  }
  time_entries: {
    id: Generated<number>
    user_id: number
    time_start: number
    time_end: number | null
    notes: string | null
    task_link_id: number
    external_id: string | null
    created_at: number
    updated_at: number
  }
  expense_types: { id: Generated<number>; name: string; active: number }
  expenses: {
    id: Generated<number>
    user_id: number
    spent_on: string
    amount: string
    amount_units: number | bigint
    currency: string
    expense_type_id: number | null
    project_id: number | null
    notes: string | null
    external_id: string | null
    created_at: number
    updated_at: number
  }
}

export type Dialect = 'sqlite' | 'postgres'

/** The number of the last migration: what a database says about itself once it is current. */
export const schemaVersion = 1
