import { expect, it } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

it('prints the OpenAPI document, with the address of the service if it is given', async () => {
  const cli = createTestCli()
  const result = await cli.run('admin', 'openapi')
  expect(result).toMatchObject({ status: 0, stderr: '' })
  expect(result.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/' }] })
  const address = ['--public-url', 'https://time.example.com']
  const document = await cli.json<{ paths: object }>('admin', 'openapi', ...address)
  expect(document).toMatchObject({ servers: [{ url: 'https://time.example.com' }] })
  expect(Object.keys(document.paths)).toContain('/api/v1/timesheets/{id}')
})
