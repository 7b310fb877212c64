import { expect } from 'vitest'
import { TtError } from '../../src/lib/errors.js'

/** Returns the TtError of the code `usage` that `read` throws; it must have a hint or a next step. */
export function usageErrorOf(read: () => unknown): TtError {
  try {
    read()
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    expect(error.code).toBe('usage')
    expect(error.hint ?? error.nextStep).toBeTruthy()
    return error
  }
  throw new Error('It was read.')
}
