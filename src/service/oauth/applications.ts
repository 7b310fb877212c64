import { randomBytes } from 'node:crypto'
import { isSameSecret } from '../../lib/is-same-secret.js'
import { generateSecret, hashSecret } from '../accounts/tokens.js'
import { unknownNameError, validateName } from '../admin/validate-name.js'
import { insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { validateRedirectUri } from './redirect-uri.js'

/** An OAuth application as administrators see it. */
export interface Application {
  client_id: string
  name: string
  redirect_uris: string[]
  /** Whether it has no client secret: PKCE alone protects its codes (RFC 9700 section 2.1.1). */
  public: boolean
}

/** An OAuth application as the endpoints use it. */
export interface RegisteredApplication {
  id: number
  name: string
  redirectUris: string[]
  isPublic: boolean
}

/**
 * Registers an application. Only the hash of its secret is stored, so the secret cannot be shown again. A public one, such
 * as a program on the machines of its users, has none.
 *
 * Throws TtError `usage` for an invalid name or redirect URI.
 */
export async function addApplication(
  { queries }: Storage,
  {
    name,
    redirectUris,
    isPublic = false,
    clock,
  }: { name: string; redirectUris: readonly string[]; isPublic?: boolean; clock: () => Date },
): Promise<Application & { client_secret?: string }> {
  const application = {
    client_id: `app_${randomBytes(12).toString('hex')}`,
    name: validateName('application', name),
    redirect_uris: [...new Set(redirectUris.map(validateRedirectUri))],
  }
  const secret = isPublic ? undefined : generateSecret('tts')
  await queries.all(
    insertInto('applications', {
      ...application,
      redirect_uris: application.redirect_uris.join(' '),
      secret_hash: secret === undefined ? noSecret : hashSecret(secret),
      created_at: clock().getTime(),
    }),
  )
  return { ...application, public: isPublic, ...(secret === undefined ? {} : { client_secret: secret }) }
}

/** The stored hash of a public application; no secret has it. */
const noSecret = ''

/** Returns all applications, oldest first. */
export async function listApplications({ queries }: Storage): Promise<Application[]> {
  const rows = await queries.all<ApplicationRow>(sql`select * from applications order by id`)
  return rows.map(toApplication)
}

/** Returns the application with that client ID. Throws TtError `not_found`. */
export async function getApplication(storage: Storage, clientId: string): Promise<Application> {
  const row = await selectApplication(storage, clientId)
  if (!row) throw unknownNameError('application', clientId)
  return toApplication(row)
}

/** Deletes an application with all its codes and tokens. Throws TtError `not_found`. */
export async function removeApplication(storage: Storage, clientId: string): Promise<void> {
  const removed = await storage.queries.all(
    sql`delete from applications where client_id = ${clientId} returning id`,
  )
  if (removed.length === 0) throw unknownNameError('application', clientId)
}

/** Returns the application with that client ID, or undefined. */
export async function findApplication(
  storage: Storage,
  clientId: string,
): Promise<RegisteredApplication | undefined> {
  const row = await selectApplication(storage, clientId)
  return row && toRegistered(row)
}

/** Returns the application if the secret is correct. Takes as long for an unknown client ID, to not reveal which exist. */
export async function authenticateApplication(
  storage: Storage,
  clientId: string,
  secret: string,
): Promise<RegisteredApplication | undefined> {
  const row = await selectApplication(storage, clientId)
  const isCorrect = isSameSecret(hashSecret(secret), row?.secret_hash ?? hashSecret(''))
  return row && isCorrect ? toRegistered(row) : undefined
}

interface ApplicationRow {
  id: number
  client_id: string
  name: string
  /** Separated by spaces. */
  redirect_uris: string
  secret_hash: string
}

async function selectApplication(
  { queries }: Storage,
  clientId: string,
): Promise<ApplicationRow | undefined> {
  const [row] = await queries.all<ApplicationRow>(
    sql`select * from applications where client_id = ${clientId}`,
  )
  return row
}

const toApplication = (row: ApplicationRow): Application => ({
  client_id: row.client_id,
  name: row.name,
  redirect_uris: row.redirect_uris.split(' '),
  public: row.secret_hash === noSecret,
})

const toRegistered = (row: ApplicationRow): RegisteredApplication => ({
  id: row.id,
  name: row.name,
  redirectUris: row.redirect_uris.split(' '),
  isPublic: row.secret_hash === noSecret,
})
