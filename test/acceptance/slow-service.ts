import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from '../support/ports.js'

/** Starts a service that responds to all requests with an empty list after a time, or never. It stops with the test. */
export async function startSlowService(delayMs?: number) {
  let resolveRequested = () => {}
  const requested = new Promise<void>((resolve) => {
    resolveRequested = resolve
  })
  const server = createServer((_, response) => {
    resolveRequested()
    const respond = () => response.setHeader('content-type', 'application/json').end('[]')
    if (delayMs !== undefined) setTimeout(respond, delayMs).unref()
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${await listenOnFreePort(server)}`
  return { host, url: `http://${host}/api/v1`, requested }
}
