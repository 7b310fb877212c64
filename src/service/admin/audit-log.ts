import { hostname, userInfo } from 'node:os'
import type { Kysely } from 'kysely'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { inStorageTransaction } from '../storage/transaction.js'

/** What the audit log records. Refreshes of tokens and attempts during a block are not recorded. */
export const auditEvents = [
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'identity_linked',
  'key_issued',
  'key_revoked',
  'application_authorized',
  'application_revoked',
  'refresh_token_reused',
  'admin_command',
] as const

export type AuditEvent = (typeof auditEvents)[number]

/** A record of the audit log. */
export interface AuditRecord {
  id: number
  at: Date
  event: AuditEvent
  /** The email address of the user, or the operating system's user and machine of an administrator; null if unknown. */
  actor: string | null
  /** The network address of the client. */
  address: string | null
  /** Such as the name of an application, or a command with its arguments; never a secret. */
  details: string | null
}

/** Which records to read; instants are in epoch milliseconds. */
export interface AuditFilter {
  since?: number | undefined
  until?: number | undefined
  event?: AuditEvent | undefined
  actor?: string | undefined
  limit: number
}

const maxTextLength = 1000

/** Appends a record, in the transaction of the event if `db` is one. */
export async function appendAudit(
  db: Kysely<Schema>,
  record: {
    at: number
    event: AuditEvent
    actor: string | null
    address?: string | null
    details?: string | null
  },
): Promise<void> {
  const { at, event, actor, address = null, details = null } = record
  await db
    .insertInto('audit_log')
    .values({ at, event, actor, address, details: details?.slice(0, maxTextLength) ?? null })
    .execute()
}

/** Appends a record with the email address of the user with this ID. */
export async function appendUserAudit(
  db: Kysely<Schema>,
  userId: number,
  record: { at: number; event: AuditEvent; address?: string | null; details?: string | null },
): Promise<void> {
  const user = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  await appendAudit(db, { ...record, actor: user?.email ?? null })
}

/**
 * Runs a change of an administrator who has direct access to the database, and records the command in the same
 * transaction: both are stored, or neither. `change` must use only the storage that it receives. Without a change, by
 * `hasChanged` of its result, nothing is recorded.
 */
export function withAudit<Result>(
  storage: Storage,
  {
    command,
    clock,
    hasChanged = () => true,
  }: { command: string; clock: () => Date; hasChanged?: ((result: Result) => boolean) | undefined },
  change: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return inStorageTransaction(storage, async (within) => {
    const actor = systemUser()
    // Other transactions do not see this row.
    await within.db.insertInto('acting_administrator').values({ name: actor }).execute()
    const result = await change(within)
    await within.db.deleteFrom('acting_administrator').execute()
    if (!hasChanged(result)) return result
    const at = clock().getTime()
    await appendAudit(within.db, { at, event: 'admin_command', actor, details: command })
    return result
  })
}

/**
 * Records a command on a SQLite database that keeps its schema, unless its version has no audit log. Throws
 * TtError `failure` if the database cannot be written.
 */
export function recordInFile(
  database: Sqlite,
  { command, clock }: { command: string; clock: () => Date },
): void {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_log'")
  if (table.get() === undefined) return
  const values = [clock().getTime(), 'admin_command', systemUser(), command.slice(0, maxTextLength)]
  database.prepare('INSERT INTO audit_log (at, event, actor, details) VALUES (?, ?, ?, ?)').run(values)
}

/** Returns the latest records that match, oldest first. */
export async function readAuditLog({ db }: Storage, filter: AuditFilter): Promise<AuditRecord[]> {
  const { since, until, event, actor, limit } = filter
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
    .$if(event !== undefined, (query) => query.where('event', '=', event ?? 'sign_in'))
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.reverse().map((row) => ({ ...row, at: new Date(row.at) }))
}

function systemUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return hostname() // The user has no entry in the user database, as in some containers.
  }
}
