import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Makes the server listen on a free loopback port and returns the port.
 * @param {import('node:net').Server} server
 */
export async function listenOnFreePort(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address === 'object' && address) return address.port
  throw new Error('The server has no port.')
}

/** Returns a loopback port that was free a moment ago. */
export async function findFreePort() {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await once(server.close(), 'close')
  return port
}
