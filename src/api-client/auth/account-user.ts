import { TtError } from '../../lib/errors.js'
import type { Api } from '../api.js'

/**
 * Returns the user that a record or a token response names, such as `Ada <ada@example.com>` or `user 7`; undefined if it
 * names none.
 *
 * No endpoint returns the user (service-api-v1.md section 4), but records may have fields that the document does not
 * show: an object `user`, or `user_name`, `user_email` and `user_id`.
 */
export function userOf(record: Readonly<Record<string, unknown>>): string | undefined {
  const user =
    typeof record.user === 'object' && record.user ? new Map(Object.entries(record.user)) : undefined
  const field = (name: string) => nonEmptyText(user?.get(name) ?? record[`user_${name}`])
  const [name, email, id] = [field('name'), field('email'), field('id')]
  if (name && email) return `${name} <${email}>`
  return name ?? email ?? (id && `user ${id}`)
}

/** Returns the user that the first assignment names: the service lists only the user's own assignments. */
export async function assignedUser(api: Api): Promise<string | undefined> {
  try {
    const [assignment] = await api.listAssignments()
    return assignment && userOf(assignment)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return undefined // The sign-in succeeded and does not require assignments.
  }
}

function nonEmptyText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
