import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { bundleScript } from '../../support/bundle-script.js'

test('a request to an in-process service does not load the fetch of the runtime', {
  tags: 'slow',
}, async () => {
  const script = await bundleScript(`
    for (const name of ['Headers', 'Request', 'Response', 'FormData', 'fetch']) {
      Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched') } })
    }
    const { createHttp } = await import('./src/api-client/http/client.ts')
    const { createApi } = await import('./src/api-client/endpoints.ts')
    const fetch = async () => ({ status: 200, headers: new Map(), text: async () => '[{"id":1}]' })
    const baseUrl = 'http://localhost/api/v1'
    const api = createApi(createHttp({ baseUrl, token: () => 'local', userAgent: 'tt', fetch }))
    console.log(JSON.stringify(await api.listClients({ name_eq: 'Acme' })))
  `)
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual([{ id: 1, name: '1' }])
})
