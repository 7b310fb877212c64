import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/process.js'

const script = `
  for (const name of ['Headers', 'Request', 'Response', 'FormData', 'fetch']) {
    Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched') } })
  }
  const [{ createHttp }, { createApi }] = await Promise.all([import('./http/client.js'), import('./endpoints.js')])
  const fetch = async () => ({ status: 200, headers: new Map(), text: async () => '[{"id":1}]' })
  const api = createApi(createHttp({ baseUrl: 'http://localhost/api/v1', token: () => 'local', userAgent: 'tt', fetch }))
  console.log(JSON.stringify(await api.listClients({ name_eq: 'Acme' })))
`

test('a request to an in-process service does not load the fetch of the runtime', { tags: 'slow' }, () => {
  const directory = temporaryDirectory()
  buildSync({
    entryPoints: ['http/client', 'endpoints'].map((name) => resolve(`src/api-client/${name}.ts`)),
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
