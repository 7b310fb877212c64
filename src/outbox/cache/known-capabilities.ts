import { type Capabilities, type KnownCapabilities, retryAfterMs } from '../../api-client/capabilities.js'
import { type ClientState, writeIfPossible } from './client-state.js'

/** Returns the capabilities of the service of a profile, in one snapshot of the client state. */
export function openCapabilities(state: ClientState, clock: () => Date): KnownCapabilities {
  const read = () => state.snapshot('capabilities')?.value ?? {}
  return {
    get<Name extends keyof Capabilities>(name: Name) {
      const known = read()[name]
      if (!known || clock().getTime() - known.at > retryAfterMs(known.value)) return undefined
      return { value: known.value, at: new Date(known.at) }
    },
    set(name, value) {
      const save = () => {
        const { [name]: _, ...others } = read()
        const now = clock()
        const known = value === undefined ? others : { ...others, [name]: { value, at: now.getTime() } }
        state.saveSnapshot('capabilities', known, now)
      }
      // Without it, the next response shows the same.
      writeIfPossible(() => state.atomically(save))
    },
  }
}
