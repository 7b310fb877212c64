import { userInfo } from 'node:os'
import { openStorage, type Storage } from '../storage/storage.js'
import { addLink } from './catalog.js'
import { ensureCompany } from './company.js'
import { addUser } from './users.js'

export { addLink, openStorage }

/** Opens a database that is administered or served for a team, making its company on first use. */
export async function openTeamStorage(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  await ensureCompany(storage, newCompany('Company'))
  return storage
}

/** Makes the company and the only user of a local workspace, unless another process has; tells which. */
export async function createOwner(
  storage: Storage,
  { email, clock }: { email: string; clock: () => Date },
): Promise<{ created: boolean }> {
  const users = storage.db.selectFrom('users').select('id').where('email', '=', email)
  const isKnown = async () => (await users.executeTakeFirst()) !== undefined
  if (await isKnown()) return { created: false }
  await ensureCompany(storage, newCompany('Local workspace'))
  try {
    await addUser(storage, { email, name: userName(), clock })
    return { created: true }
  } catch (error) {
    // Another process may have been first since the look.
    if (!(await isKnown())) throw error
    return { created: false }
  }
}

/** Until `tt admin company` says otherwise. */
const newCompany = (name: string) => ({
  name,
  currency: 'EUR',
  time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
})

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'you' // A user without an entry in the system's table, as in a container.
  }
}
