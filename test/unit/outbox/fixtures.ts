import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ClientState, openClientState } from '../../../src/outbox/cache/client-state.js'
import { temporaryDirectory } from '../../support/process.js'

/** Opens the client state of a new profile, removed with the test. */
export async function openTestState(): Promise<ClientState> {
  const directory = temporaryDirectory()
  const state = await openClientState(join(directory, 'state.db'))
  onTestFinished(() => state.close())
  return state
}
