import type { PagingMemory } from '../api/paging/record-list.js'
import type { ClientState } from './client-state.js'

/** Remembers how the service of a profile pages its lists, in one snapshot of the client state for each path. */
export function openPagingMemory(state: ClientState, now: Date): PagingMemory {
  const nameOf = (path: string) => `paging ${path}`
  return {
    read(path) {
      const value = state.snapshot(nameOf(path))?.value
      return typeof value === 'number' || value === null ? value : undefined
    },
    write(path, mayContinueFrom) {
      try {
        state.saveSnapshot(nameOf(path), mayContinueFrom, now)
      } catch {
        // The list itself is read; without this, the next command requests a second page again.
      }
    },
  }
}
