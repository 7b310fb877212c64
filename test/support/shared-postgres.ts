import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopSharedServer } from './postgres.js'

/** Names the directory of the PostgreSQL server that all test files of this run share. The first of them starts it. */
export default function setup() {
  const directory = mkdtempSync(join(tmpdir(), 'tt-postgres-'))
  process.env.TT_TEST_POSTGRES = directory
  return async () => {
    await stopSharedServer(directory)
    rmSync(directory, { recursive: true, force: true })
  }
}
