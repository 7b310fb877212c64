import type { Generated } from 'kysely'

/**
 * The tables as they are stored. Instants are epoch milliseconds, days YYYY-MM-DD, booleans 0 and 1;
 * `amount_units` is the amount in ten-thousandths, because amounts are compared as numbers.
 */
export interface Schema {
  company: { id: number; name: string; currency: string; time_zone: string }
  users: {
    id: Generated<number>
    email: string
    name: string
    active: number
    created_at: number
    /** As `hashPassword` writes it; null for somebody who cannot sign in with one. */
    password: string | null
  }
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
    /** The refresh token that was issued with it; null for a token that no application obtained. */
    refresh_token_id: number | null
    /** When it was first used; kept for tokens of applications alone. */
    used_at: number | null
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
    /** The Idempotency-Key that it was created with; nobody is shown it. */
    idempotency_key: string | null
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
    /** The Idempotency-Key that it was created with; nobody is shown it. */
    idempotency_key: string | null
    created_at: number
    updated_at: number
  }
  /** The Idempotency-Keys of records that have been deleted: a create that comes late must not bring them back. */
  spent_keys: {
    user_id: number
    /** The table that they were in. */
    records: string
    idempotency_key: string
  }
  /** OAuth applications: each with a secret, of which the SHA-256 is kept. */
  applications: {
    id: Generated<number>
    client_id: string
    secret_hash: string
    name: string
    /** Exactly as registered, separated by spaces. */
    redirect_uris: string
    created_at: number
  }
  /** What a user has allowed an application, once: all tokens that come of it are one family. */
  grants: {
    id: Generated<number>
    application_id: number
    user_id: number
    scopes: string
    created_at: number
    revoked_at: number | null
  }
  authorization_codes: {
    id: Generated<number>
    grant_id: number
    hash: string
    redirect_uri: string
    /** S256 (RFC 7636). */
    challenge: string
    expires_at: number
    used_at: number | null
  }
  refresh_tokens: {
    id: Generated<number>
    grant_id: number
    hash: string
    /** The one that it took the place of; null for the first of a family. */
    parent_id: number | null
    created_at: number
    expires_at: number
    /** When another one took its place; null for the newest of a family. */
    replaced_at: number | null
  }
  /** Browsers in which somebody is signed in. */
  sessions: { hash: string; user_id: number; expires_at: number }
  /** Failed attempts to sign in, counted per account and address. */
  sign_in_attempts: {
    /** SHA-256 of what is counted. */
    subject: string
    failures: number
    /** How often this has led to a block. */
    blocks: number
    /** When the count, or the block it led to, is over. */
    until: number
    /** When the blocks are forgotten too. */
    forget_at: number
  }
}

export type Dialect = 'sqlite' | 'postgres'

/** The number of the last migration: what a database says about itself once it is current. */
export const schemaVersion = 3
