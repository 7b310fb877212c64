import type { PagingMemory } from '../api-client/paging/record-list.js'
import type { ClientState } from './client-state.js'

/** Stores the page sizes of the service of a profile, in one snapshot of the client state for each path. */
export function openPagingMemory(state: ClientState, now: Date): PagingMemory {
  const nameOf = (path: string) => `paging ${path}` as const
  return {
    read(path) {
      return state.snapshot(nameOf(path))?.value
    },
    write(path, pageSize) {
      try {
        state.saveSnapshot(nameOf(path), pageSize, now)
      } catch {
        // The list has been read. Without its page size, the next command only requests a second page again.
      }
    },
  }
}
