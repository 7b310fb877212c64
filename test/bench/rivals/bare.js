// Bare `node:http` that sends recorded responses. Argument: a file with them by method and address.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** @type {Record<string, { status: number, body: string }>} */
const responses = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

const server = createServer(async (request, response) => {
  const { method = '', url = '' } = request
  const recorded = responses[`${method} ${url}`] ?? responses[method]
  if (method !== 'GET') for await (const _ of request);
  const { status, body } = recorded ?? { status: 404, body: '' }
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  process.stdout.write(`{"url": "http://127.0.0.1:${port}/api/v1"}\n`)
})
