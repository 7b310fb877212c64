import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

/** Starts a service that responds to all requests with an empty list when `respond` is called. */
async function startSlowService() {
  const waiting: (() => void)[] = []
  const server = createServer((_, response) => {
    waiting.push(() => response.setHeader('content-type', 'application/json').end('[]'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    respond: () => {
      for (const send of waiting.splice(0)) send()
    },
  }
}

test('tt names a slow service while it waits, and then clears the line', async () => {
  const { host, respond } = await startSlowService()
  const env = { TT_BASE_URL: `http://${host}/api/v1`, TT_TOKEN: 'token' }
  const terminal = openTerminal(temporaryDirectory(), env)
  terminal.runTt('clients')
  await terminal.waitForText(`Waiting for ${host} …`)
  respond()
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).not.toContain('Waiting')

  terminal.runTt('clients')
  await terminal.waitForText(`Waiting for ${host} …`)
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).not.toContain('Waiting')
  expect(terminal.screen()).toMatch(/^(\^C)?error: Interrupted\.$/m)
})

test('tt admin seed and tt report show their progress', async () => {
  const terminal = openTerminal(temporaryDirectory(), { TT_PAGER: '' })
  terminal.runTt('admin seed --entries 200000')
  await terminal.waitForText(/Generated [\d,]+ of 200,000 entries/)
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).not.toContain('Generated')
  // A report that reads the notes of all entries takes long enough to see.
  terminal.runTt('report --since 1900-01-01 --by notes')
  await terminal.waitForText(/Read [\d,]+ entries …/)
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).not.toContain('Read ')
})
