// Writes man/: the pages of src/build/documents/manual.ts, as files for man(1).
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundling.mjs'
import { commands, loadSource } from '../load-source.mjs'

/** Writes the man pages of the program into `directory` and removes its previous content. */
export async function writeManual(directory = join(root, 'man')) {
  /** @type {typeof import('./manual.js')} */
  const { manualPages } = await loadSource('src/build/documents/manual.ts', commands)
  const pages = Object.entries(await manualPages())
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  for (const [name, page] of pages) writeFileSync(join(directory, name), page)
}
