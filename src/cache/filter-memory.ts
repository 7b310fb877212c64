import { dayMs } from '../lib/time-units.js'
import { type ClientState, writeIfPossible } from './client-state.js'
import type { Snapshots } from './snapshots.js'

/** Remembers that the service of a profile rejects or ignores the filter `time_end_gteq` on time entries. */
export interface FilterMemory {
  isSupported(): boolean
  /** @param isFault whether the service failed (500 or 501) instead of responding, which may be temporary */
  rememberUnsupported(isFault: boolean): void
}

/** After this time a service may have learned the filter, and it is sent once more, in milliseconds. */
const retryMs = { unsupported: 30 * dayMs, failed: dayMs }

const name = 'filter /timesheets time_end_gteq'

/** Returns the memory in a snapshot of the client state. */
export function openFilterMemory(state: ClientState, now: Date): FilterMemory {
  return {
    isSupported() {
      const known = state.snapshot(name)
      return known === undefined || now.getTime() - known.at.getTime() > retryMsAfter(known.value)
    },
    // Without it, the next command sends the filter once more.
    rememberUnsupported: (isFault) =>
      writeIfPossible(() => state.saveSnapshot(name, isFault ? 'failed' : 'unsupported', now)),
  }
}

function retryMsAfter(value: Snapshots[typeof name]): number {
  return value === 'failed' ? retryMs.failed : retryMs.unsupported
}
