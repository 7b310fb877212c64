import type { CircuitBreaker } from '../../../api-client/http/circuit-breaker.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import type { Context } from '../../context.js'

/** Creates the circuit breaker of the service, which the client state stores for later commands. */
export async function createCircuitBreaker({
  host,
  state: openState,
  isBackground,
}: Context): Promise<CircuitBreaker> {
  const [{ CircuitBreaker }, state] = await Promise.all([
    import('../../../api-client/http/circuit-breaker.js'),
    openState(),
  ])
  return new CircuitBreaker({
    clock: host.now,
    isPatient: isBackground,
    memory: {
      read: () => state.snapshot('circuit_breaker')?.value ?? undefined,
      write: (record) =>
        writeIfPossible(() => state.saveSnapshot('circuit_breaker', record ?? null, host.now())),
    },
  })
}
