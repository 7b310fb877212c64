import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

const script = `
  for (const name of ['Headers', 'Request', 'Response', 'FormData', 'fetch']) {
    Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched') } })
  }
  const [{ createHttp }, { createApi }] = await Promise.all([import('./http/http.js'), import('./endpoints.js')])
  const fetch = async () => ({ status: 200, headers: new Map(), text: async () => '[{"id":1}]' })
  const api = createApi(createHttp({ baseUrl: 'http://localhost/api/v1', token: () => 'local', userAgent: 'tt', fetch }))
  console.log(JSON.stringify(await api.listClients({ name_eq: 'Acme' })))
`

test('a service in this process is used without loading the fetch of the runtime', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tt-api-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  buildSync({
    entryPoints: ['http/http', 'endpoints'].map((name) => resolve(`src/api/${name}.ts`)),
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
  })
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  writeFileSync(join(directory, 'script.js'), script)
  const printed = execFileSync(process.execPath, [join(directory, 'script.js')], { encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual([{ id: 1, name: '1' }])
})
