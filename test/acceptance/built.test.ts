import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { bundling } from '../../src/build/bundling.mjs'
import { bin, temporaryDirectory, tt } from '../support/process.js'

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
  // For audits, with the versions of these files.
  const { stdout } = await tt(temporaryDirectory(), ['--version', '--json'])
  const { version, packages } = JSON.parse(stdout)
  expect(version).toMatch(/^\d+\.\d+\.\d+/)
  expect(Object.keys(packages).sort()).toEqual([...licences.keys()].sort())
  for (const [name = '', text] of licences)
    expect(text).toMatch(new RegExp(`^\\s*${name} ${packages[name]} `))
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

test('tt start, stop and status --cached load none of the slow modules of Node', async () => {
  const home = temporaryDirectory()
  const hook = join(home, 'loaded.cjs')
  writeFileSync(
    hook,
    `const slow = /^NativeModule (crypto|http|https|stream|zlib)$/
    process.on('exit', () => process._rawDebug('loaded:', process.moduleLoadList.filter((name) => slow.test(name)).join()))`,
  )
  // The first commands create the workspace and the code cache.
  const commands = [['start', 'Website/Design'], ['stop'], ['status', '--cached']]
  for (const argv of [...commands, ...commands]) expect(await tt(home, argv)).toMatchObject({ status: 0 })
  for (const argv of commands) {
    const { stderr } = await tt(home, argv, { NODE_OPTIONS: `--require ${hook}` })
    expect([argv[0], /^loaded: (.*)$/m.exec(stderr)?.[1]]).toEqual([argv[0], ''])
  }
})
