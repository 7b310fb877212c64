// Writes man/: the pages of src/build/manual.ts, as files for man(1).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundling, root } from './bundling.mjs'

/** Writes the man pages of the program into `directory` and removes its previous content. */
export async function writeManual(directory = join(root, 'man')) {
  const workDirectory = mkdtempSync(join(tmpdir(), 'tt-manual-'))
  try {
    const outfile = join(workDirectory, 'manual.cjs')
    await build({
      ...bundling,
      entryPoints: ['src/build/manual.ts'],
      outfile,
      format: 'cjs',
      // The command tree imports the commands lazily, and the manual does not run them.
      external: ['./commands/*', '../commands/*'],
    })
    const { manualPages } = createRequire(import.meta.url)(outfile)
    const pages = Object.entries(await manualPages())
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    for (const [name, page] of pages) writeFileSync(join(directory, name), page)
  } finally {
    rmSync(workDirectory, { recursive: true, force: true })
  }
}
