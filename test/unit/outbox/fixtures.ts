import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ClientState, openClientState } from '../../../src/cache/client-state.js'

/** The client state of a fresh profile; it goes when the test is over. */
export async function openTestState(): Promise<ClientState> {
  const directory = mkdtempSync(join(tmpdir(), 'tt-state-'))
  const state = await openClientState(join(directory, 'state.db'), { durability: 'normal' })
  onTestFinished(() => {
    state.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return state
}
