import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundling, ownAddress, root } from './bundling.mjs'

/**
 * Bundles a TypeScript file and returns its exports.
 *
 * @param {string} file relative to the root of the repository
 * @param {string[]} [external] imports that stay out of the bundle, because they are not called
 */
export async function loadSource(file, external = []) {
  const dist = join(root, 'dist')
  mkdirSync(dist, { recursive: true })
  const directory = mkdtempSync(join(dist, 'source-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const outfile = join(directory, 'source.cjs')
  await build({
    ...bundling,
    entryPoints: [file],
    outfile,
    format: 'cjs',
    banner: { js: ownAddress },
    external: [...(bundling.external ?? []), ...external],
  })
  return createRequire(import.meta.url)(outfile)
}

/** The commands, which the command tree imports when they run. */
export const commands = ['./commands/*', '../commands/*', '../../commands/*']
