// Writes the generated parts of the documentation between their markers. Usage: npm run docs
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundling, root } from './bundling.mjs'

const directory = mkdtempSync(join(tmpdir(), 'tt-docs-'))
try {
  const outfile = join(directory, 'reference.cjs')
  await build({
    ...bundling,
    entryPoints: ['src/build/reference.ts'],
    outfile,
    format: 'cjs',
    // The command tree imports the commands lazily, and the documentation does not run them.
    external: ['./commands/*', '../commands/*', '../../commands/*'],
  })
  const { referenceParts, withReference } = createRequire(import.meta.url)(outfile)
  const parts = await referenceParts()
  for (const name of readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))) {
    const path = join(root, 'docs', name)
    const text = readFileSync(path, 'utf8')
    const updated = withReference(text, parts)
    if (updated === text) continue
    writeFileSync(path, updated)
    process.stdout.write(`Updated docs/${name}\n`)
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
