import type { PagingMemory } from '../api-client/paging/record-list.js'
import type { ClientState } from './client-state.js'

/** Stores the page sizes of the service of a profile, in one snapshot of the client state for each path. */
export function openPagingMemory(state: ClientState, now: Date): PagingMemory {
  const nameOf = (path: string) => `paging ${path}`
  return {
    read(path) {
      const value = state.snapshot(nameOf(path))?.value
      return typeof value === 'number' || value === null ? value : undefined
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
