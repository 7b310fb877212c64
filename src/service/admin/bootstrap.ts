import { userInfo } from 'node:os'
import { localCompanyName } from '../../lib/local-company.js'
import type { ConnectionOptions } from '../storage/postgres/pool.js'
import { sql } from '../storage/sql.js'
import { migrate, openStorage, type Storage } from '../storage/storage.js'
import { journaled } from './catalog/catalog-journal.js'
import { addExpenseType } from './catalog/expense-types.js'
import { addLink } from './catalog/tasks.js'
import { ensureCompany } from './company.js'
import { addUser } from './users.js'

export { addExpenseType, addLink, journaled, migrate }

/** Opens the database of a team, and creates its company on first use. */
export async function openTeamStorage(location: string, options: ConnectionOptions = {}): Promise<Storage> {
  const storage = await openStorage(location, options)
  await ensureCompany(storage, defaultCompany('Company'))
  return storage
}

/** Creates the company and the only user of a local workspace; `created` is false when another process has. */
export async function createOwner(
  storage: Storage,
  { email, clock }: { email: string; clock: () => Date },
): Promise<{ created: boolean }> {
  const exists = async () =>
    (await storage.queries.all(sql`select id from users where email = ${email}`)).length > 0
  if (await exists()) return { created: false }
  await ensureCompany(storage, defaultCompany(localCompanyName))
  try {
    await addUser(storage, { email, name: userName(), clock })
    return { created: true }
  } catch (error) {
    // Another process may have created the user since the check.
    if (!(await exists())) throw error
    return { created: false }
  }
}

/** Returns the initial settings of a company. */
const defaultCompany = (name: string) => ({
  name,
  currency: 'EUR',
  time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
})

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'you' // The user has no entry in the user database, as in some containers.
  }
}
