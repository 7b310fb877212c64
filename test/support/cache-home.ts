import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Another Node than the build's keeps what it has compiled in the user's cache: for the tests in one of their own. */
export default function setup() {
  const cacheHome = mkdtempSync(join(tmpdir(), 'tt-cache-'))
  process.env.XDG_CACHE_HOME = cacheHome
  return () => rmSync(cacheHome, { recursive: true, force: true })
}
