import type { Id } from '../../api-client/types.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import { existingLink, type LinkIndex } from './link-index.js'
import type { LinkAssignment } from './staging.js'

/** Returns the task links that the user chose in earlier imports, by `namesKey`. Links that no longer exist are omitted. */
export function readChoices(state: ClientState, index: LinkIndex): Map<string, LinkAssignment> {
  const rows = state.database.prepare('SELECT names, task_link FROM import_choice').all() as {
    names: string
    task_link: string
  }[]
  const choices = new Map<string, LinkAssignment>()
  for (const { names, task_link } of rows) {
    const link = index.byId(JSON.parse(task_link) as Id)
    if (link) choices.set(names, existingLink(link))
  }
  return choices
}

/** Stores the task link that the user chose for the names with this `namesKey`. */
export function storeChoice(state: ClientState, key: string, link: Id): void {
  state.database
    .prepare('INSERT OR REPLACE INTO import_choice (names, task_link) VALUES (?, ?)')
    .run([key, JSON.stringify(link)])
}
