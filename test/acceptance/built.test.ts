import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { bundling } from '../../src/build/bundling.mjs'
import { bin } from '../support/process.js'

test('the packs include the license of every bundled package', async () => {
  const result = await build({
    ...bundling,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    write: false,
    splitting: true,
    format: 'esm',
    metafile: true,
  })
  const code = Object.values(result.metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  const inside = code.flatMap(([path]) => /.*node_modules\/((@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  const parts = readFileSync(join(dirname(bin), '..', 'dist', 'LICENSES.txt'), 'utf8').split(/^-{80}$/m)
  const licences = new Map(parts.slice(1).map((part) => [/^\s*(\S+) /.exec(part)?.[1], part]))
  expect([...licences.keys()].sort()).toEqual([...new Set(inside)].sort())
  expect(licences.has('ical.js')).toBe(true)
  for (const [name, text] of licences) {
    const terms = /permission|licensed under|Mozilla Public License/i.test(text)
    expect([name, terms, /copyright/i.test(text), /^Source: \S+/m.test(text)]).toEqual([
      name,
      true,
      true,
      true,
    ])
  }
})
