// Makes man/: the pages of src/build/manual.ts, as files for man(1).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundling, root } from './bundling.mjs'

/** Writes the man pages of the program into `directory`, in the place of what was there. */
export async function writeManual(directory = join(root, 'man')) {
  const workshop = mkdtempSync(join(tmpdir(), 'tt-manual-'))
  try {
    const outfile = join(workshop, 'manual.cjs')
    await build({
      ...bundling,
      entryPoints: ['src/build/manual.ts'],
      outfile,
      format: 'cjs',
      // The command tree says how they would be loaded, and no more.
      external: ['./commands/*', '../commands/*'],
    })
    const { manualPages } = createRequire(import.meta.url)(outfile)
    const pages = Object.entries(await manualPages())
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    for (const [name, page] of pages) writeFileSync(join(directory, name), page)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}
