// Writes the generated parts of the documentation between their markers. Usage: npm run docs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundling.mjs'
import { commands, loadSource } from '../load-source.mjs'

/** @type {typeof import('./reference.js')} */
const { referenceParts, withReference } = await loadSource('src/build/documents/reference.ts', commands)
const parts = await referenceParts()
for (const name of readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))) {
  const path = join(root, 'docs', name)
  const text = readFileSync(path, 'utf8')
  const updated = withReference(text, parts)
  if (updated === text) continue
  writeFileSync(path, updated)
  process.stdout.write(`Updated docs/${name}\n`)
}
