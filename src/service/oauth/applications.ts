import { randomBytes, timingSafeEqual } from 'node:crypto'
import { generateToken, hashToken } from '../accounts/tokens.js'
import { unknownNameError, validateName } from '../admin/names.js'
import type { Storage } from '../storage/storage.js'
import { validateRedirectUri } from './redirect-uri.js'

/** An OAuth application as an administrator sees it. */
export interface Application {
  client_id: string
  name: string
  redirect_uris: string[]
}

/** An application as the endpoints use it. */
export interface RegisteredApplication {
  id: number
  name: string
  redirectUris: string[]
}

/**
 * Registers an application; its secret is answered here and nowhere else, as only a hash is stored.
 *
 * Throws TtError `usage` for a name or a redirect URI that cannot be one.
 */
export async function addApplication(
  { db }: Storage,
  { name, redirectUris, clock }: { name: string; redirectUris: readonly string[]; clock: () => Date },
): Promise<Application & { client_secret: string }> {
  const application = {
    client_id: `app_${randomBytes(12).toString('hex')}`,
    name: validateName('application', name),
    redirect_uris: [...new Set(redirectUris.map(validateRedirectUri))],
  }
  const secret = generateToken('tts')
  await db
    .insertInto('applications')
    .values({
      ...application,
      redirect_uris: application.redirect_uris.join(' '),
      secret_hash: hashToken(secret),
      created_at: clock().getTime(),
    })
    .execute()
  return { ...application, client_secret: secret }
}

/** All applications, in the order in which they were registered. */
export async function listApplications({ db }: Storage): Promise<Application[]> {
  const rows = await db
    .selectFrom('applications')
    .select(['client_id', 'name', 'redirect_uris'])
    .orderBy('id')
    .execute()
  return rows.map(toApplication)
}

/** The application with that client id. Throws TtError `not_found`. */
export async function getApplication({ db }: Storage, clientId: string): Promise<Application> {
  const row = await db
    .selectFrom('applications')
    .select(['client_id', 'name', 'redirect_uris'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (!row) throw unknownNameError('application', clientId)
  return toApplication(row)
}

/** Takes an application away, with every code and token that it was given. Throws TtError `not_found`. */
export async function removeApplication(storage: Storage, clientId: string): Promise<void> {
  const { numDeletedRows } = await storage.db
    .deleteFrom('applications')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw unknownNameError('application', clientId)
}

export async function findApplication(
  storage: Storage,
  clientId: string,
): Promise<RegisteredApplication | undefined> {
  const row = await storedApplication(storage, clientId)
  return row && toRegistered(row)
}

/** The application, when the secret is its own; unknown ids take the same path. */
export async function authenticateApplication(
  storage: Storage,
  clientId: string,
  secret: string,
): Promise<RegisteredApplication | undefined> {
  const row = await storedApplication(storage, clientId)
  const right = isSameHash(hashToken(secret), row?.secret_hash ?? hashToken(''))
  return row && right ? toRegistered(row) : undefined
}

function storedApplication({ db }: Storage, clientId: string) {
  return db.selectFrom('applications').selectAll().where('client_id', '=', clientId).executeTakeFirst()
}

/** Compares two hashes in a time that does not tell where they differ. */
function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const toApplication = (row: { client_id: string; name: string; redirect_uris: string }): Application => ({
  client_id: row.client_id,
  name: row.name,
  redirect_uris: row.redirect_uris.split(' '),
})

const toRegistered = (row: { id: number; name: string; redirect_uris: string }): RegisteredApplication => ({
  id: row.id,
  name: row.name,
  redirectUris: row.redirect_uris.split(' '),
})
