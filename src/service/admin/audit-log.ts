import { hostname, userInfo } from 'node:os'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import type { Queries } from '../storage/queries.js'
import { allOf, insertInto, sql } from '../storage/sql.js'
import { createSqliteQueries } from '../storage/sqlite.js'
import type { Storage } from '../storage/storage.js'

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

/** Appends a record. */
export async function appendAudit(
  queries: Queries,
  record: {
    at: number
    event: AuditEvent
    actor: string | null
    address?: string | null
    details?: string | null
  },
): Promise<void> {
  const { at, event, actor, address = null, details = null } = record
  const text = details?.slice(0, maxTextLength) ?? null
  await queries.all(insertInto('audit_log', { at, event, actor, address, details: text }))
}

/** Appends a record with the email address of the user with this ID. */
export async function appendUserAudit(
  queries: Queries,
  userId: number,
  record: { at: number; event: AuditEvent; address?: string | null; details?: string | null },
): Promise<void> {
  const [user] = await queries.all<{ email: string }>(sql`select email from users where id = ${userId}`)
  await appendAudit(queries, { ...record, actor: user?.email ?? null })
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
  return storage.queries.transaction(async (queries) => {
    const actor = systemUser()
    // Other transactions do not see this row.
    await queries.all(insertInto('acting_administrator', { name: actor }))
    const result = await change({ ...storage, queries })
    await queries.all(sql`delete from acting_administrator`)
    if (!hasChanged(result)) return result
    const at = clock().getTime()
    await appendAudit(queries, { at, event: 'admin_command', actor, details: command })
    return result
  })
}

/**
 * Records a command on a SQLite database that keeps its schema, unless its version has no audit log. Rejects with
 * TtError `failure` if the database cannot be written.
 */
export async function recordInFile(
  database: Sqlite,
  { command, clock }: { command: string; clock: () => Date },
): Promise<void> {
  const queries = createSqliteQueries(database)
  const [table] = await queries.all(
    sql`select 1 as found from sqlite_master where type = 'table' and name = 'audit_log'`,
  )
  if (!table) return
  const at = clock().getTime()
  await appendAudit(queries, { at, event: 'admin_command', actor: systemUser(), details: command })
}

/** Returns the latest records that match, oldest first. */
export async function readAuditLog({ queries }: Storage, filter: AuditFilter): Promise<AuditRecord[]> {
  const { since, until, event, actor, limit } = filter
  const matches = allOf(
    since !== undefined && sql`at >= ${since}`,
    until !== undefined && sql`at < ${until}`,
    event !== undefined && sql`event = ${event}`,
    actor !== undefined && sql`actor = ${actor}`,
  )
  const rows = await queries.all<Omit<AuditRecord, 'at'> & { at: number }>(
    sql`select * from audit_log where ${matches} order by id desc limit ${limit}`,
  )
  return rows.reverse().map((row) => ({ ...row, at: new Date(row.at) }))
}

function systemUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return hostname() // The user has no entry in the user database, as in some containers.
  }
}
