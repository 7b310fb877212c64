import { dayMs } from '../lib/time-units.js'
import { type ClientState, writeIfPossible } from './client-state.js'

/** Remembers that the service of a profile rejects or ignores the filter `time_end_gteq` on time entries. */
export interface FilterMemory {
  isSupported(): boolean
  rememberUnsupported(): void
}

/** After this time a service may have learned the filter, and it is sent once more, in milliseconds. */
const retryMs = 30 * dayMs

const name = 'filter /timesheets time_end_gteq'

/** Returns the memory in a snapshot of the client state. */
export function openFilterMemory(state: ClientState, now: Date): FilterMemory {
  return {
    isSupported() {
      const known = state.snapshot(name)
      return known === undefined || now.getTime() - known.at.getTime() > retryMs
    },
    // Without it, the next command sends the filter once more.
    rememberUnsupported: () => writeIfPossible(() => state.saveSnapshot(name, 'unsupported', now)),
  }
}
