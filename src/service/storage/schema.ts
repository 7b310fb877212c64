import type { Generated } from 'kysely'
import type { AuditEvent } from '../admin/audit-log.js'
import type { ChangeEvent } from '../admin/record-changes.js'

/**
 * The tables of the database. Instants are epoch milliseconds, days YYYY-MM-DD, booleans 0 and 1; `amount_units` is the
 * amount in ten-thousandths, for numeric comparisons.
 */
export interface Schema {
  company: {
    id: number
    name: string
    currency: string
    time_zone: string
    /** Whether the service issues and accepts legacy keys. */
    legacy_keys: Generated<number>
    /** The age in days after which legacy keys expire; null for no limit. */
    legacy_key_days: number | null
    visibility: Generated<Visibility>
    /** The last day of the closed period, whose entries and expenses are read-only; null if there is none. */
    closed_until: string | null
    /** The first instant after that day in the time zone of the company. */
    closed_before: number | null
  }
  users: {
    id: Generated<number>
    email: string
    name: string
    active: number
    created_at: number
    /** The result of `hashPassword`; null for a user without a password. */
    password: string | null
  }
  tokens: {
    id: Generated<number>
    user_id: number
    /** The result of `hashToken`; the token itself is not stored. */
    hash: string
    kind: Generated<TokenKind>
    /** Separated by spaces. */
    scopes: string
    name: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    /** The refresh token that was issued with it; null for a token that was not issued to an application. */
    refresh_token_id: number | null
    /** When it was last used, to the hour; null until the first use. */
    used_at: number | null
  }
  /** The accounts of users at OpenID Connect providers. */
  identities: {
    /** The URL that identifies the provider. */
    issuer: string
    /** Identifies the account at the provider. */
    subject: string
    user_id: number
    created_at: number
  }
  clients: { id: Generated<number>; name: string; active: Generated<number> }
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
    /** The Idempotency-Key of its create request; never part of a response. */
    idempotency_key: string | null
    /** Identifies the fields of the create request with that key; null without a key, and before version 5. */
    idempotency_fingerprint: string | null
    created_at: number
    updated_at: number
    /** Increases with every change, by random steps; see `entityTag`. */
    version: Generated<number>
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
    /** The Idempotency-Key of its create request; never part of a response. */
    idempotency_key: string | null
    /** Identifies the fields of the create request with that key; null without a key, and before version 5. */
    idempotency_fingerprint: string | null
    created_at: number
    updated_at: number
    /** Increases with every change, by random steps; see `entityTag`. */
    version: Generated<number>
  }
  /** The Idempotency-Keys of deleted records: a late create request must not create them again. */
  spent_keys: {
    user_id: number
    /** The table of the deleted record. */
    records: string
    idempotency_key: string
  }
  /** Versions of the records of users (`versionOf`). Triggers write them. */
  record_versions: { id: Generated<number>; user_id: number; version: number }
  /** The imports into the local workspace; unused in the database of a served service. */
  imports: {
    /** A UUID. */
    id: string
    user_id: number
    /** Whether its entries are in `time_entries`; 0 after it was undone. */
    applied: number
    /** The IDs that were reserved for the entries that it creates, in order of their start. */
    first_entry: number
    last_entry: number
    /** The number of entries that it has created. */
    entries: number
    /** When it was last applied. */
    created_at: number
    /** JSON: the clients, projects, tasks and task links that it has created. */
    created: string
    /** JSON: the entries that it has updated, as they were before. */
    updated: string
  }
  /** The changes of the catalog in the local workspace, for undo; unused in the database of a served service. */
  catalog_changes: {
    /** A UUID. */
    id: string
    /** The title in the history; null for records that a change of entries has created. */
    title: string | null
    at: number
    /** 0 after it was undone. */
    applied: number
    /** JSON: its parts, see `CatalogStep`. */
    steps: string
    /** JSON: the changes of settings that belong to it; null without any. */
    settings: string | null
    /** Whether the history of the client state has it. */
    is_recorded: Generated<number>
  }
  /** OAuth applications, with the SHA-256 of their client secret. */
  applications: {
    id: Generated<number>
    client_id: string
    /** Empty for a public application, which has no secret. */
    secret_hash: string
    name: string
    /** Exactly as registered, separated by spaces. */
    redirect_uris: string
    created_at: number
  }
  /** The consents of users to applications. All tokens of one grant are one token family. */
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
    /** The refresh token that it replaced; null for the first of a family. */
    parent_id: number | null
    created_at: number
    expires_at: number
    /** When another token replaced it; null for the newest of a family. */
    replaced_at: number | null
  }
  /** The browsers in which a user is signed in. */
  sessions: {
    hash: string
    user_id: number
    expires_at: number
    created_at: Generated<number>
    /** The network address at the sign-in. */
    address: string | null
    /** The User-Agent header at the sign-in. */
    browser: string | null
  }
  /** What happened to sign-ins and access. Triggers reject changes of its rows. */
  audit_log: {
    id: Generated<number>
    at: number
    event: AuditEvent
    actor: string | null
    address: string | null
    details: string | null
  }
  /** The audit log of entries and expenses. Triggers write it, and reject changes of its rows. */
  record_changes: {
    id: Generated<number>
    /** By the clock of the database. */
    at: number
    event: ChangeEvent
    /** The user of the record. */
    user_id: number
    record_id: number
    /** Who changed it, if not its user. */
    administrator: string | null
    /** JSON of the fields before the change; null for a new record. */
    old_fields: string | null
    /** JSON of the fields after the change; null for a deleted record. */
    new_fields: string | null
  }
  /** The administrator whose transaction this is, for `record_changes`. Each transaction deletes its row before its end. */
  acting_administrator: { name: string }
  /** Failed attempts to sign in, counted per account and address. */
  sign_in_attempts: {
    /** SHA-256 of the account, the network or both that are counted. */
    subject: string
    failures: number
    /** The number of blocks so far. */
    blocks: number
    /** The end of the counting window or of the block. */
    until: number
    /** When the number of blocks is reset. */
    forget_at: number
  }
}

/** How a token was issued: to an application, as a legacy key for a password, or by an administrator. */
export type TokenKind = 'oauth' | 'key' | 'admin'

/** Whether users see all projects of the company, or only those of their assignments. */
export type Visibility = 'open' | 'assigned'

export type Dialect = 'sqlite' | 'postgres'

/** The number of migrations, which an up-to-date database stores as its version; the compiler compares it with the list. */
export const schemaVersion = 18
