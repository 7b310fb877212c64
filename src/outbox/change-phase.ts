import type { QueuedChange } from './queued-change.js'

/**
 * The phases of a change on its way to the service, and those that follow each of them (docs/internals/delivery.md shows
 * them as a diagram). A change in `unknown` was sent, and the service may have applied it. In `settling`, a create is
 * looked up, and another change waits until the service can no longer apply an earlier request.
 */
export const nextPhases = {
  pending: ['sending', 'settling', 'delivered', 'conflict'],
  sending: ['delivered', 'rejected', 'conflict', 'local timer', 'unknown', 'pending'],
  unknown: ['sending', 'delivered', 'settling', 'conflict', 'rejected'],
  settling: ['sending', 'delivered', 'ambiguous', 'conflict'],
  ambiguous: ['delivered', 'pending', 'settling'],
  rejected: ['pending'],
  conflict: ['pending'],
  'local timer': ['pending'],
  delivered: [],
} as const satisfies Record<string, readonly string[]>

export type ChangePhase = keyof typeof nextPhases

/**
 * Returns the phase of a change in the outbox. `isSettling`: whether it waits until the service can no longer apply an
 * earlier request.
 */
export function phaseOf(
  { state, outcomeUnknown }: Pick<QueuedChange, 'state' | 'outcomeUnknown'>,
  isSettling: boolean,
): Exclude<ChangePhase, 'sending' | 'delivered'> {
  switch (state) {
    case 'held':
      return 'local timer'
    case 'refused':
      return 'rejected'
    case 'waiting':
      return isSettling ? 'settling' : outcomeUnknown ? 'unknown' : 'pending'
    default:
      return state
  }
}
