// A proxy in a process of its own: the benchmark blocks while it times a command. Usage: node delaying-proxy.js TARGET MS
import { createServer, request } from 'node:http'

const [target = '', delay = '0'] = process.argv.slice(2)
const { hostname, port } = new URL(target)

const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming
  setTimeout(() => {
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }, Number(delay))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
