import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Sets XDG_CACHE_HOME to a temporary directory, for the compiled code of tt. */
export default function setup() {
  const cacheHome = mkdtempSync(join(tmpdir(), 'tt-cache-'))
  process.env.XDG_CACHE_HOME = cacheHome
  return () => rmSync(cacheHome, { recursive: true, force: true })
}
