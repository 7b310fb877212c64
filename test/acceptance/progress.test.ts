import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../support/process.js'
import { openTerminal, tmuxIsMissing } from '../support/terminal.js'

beforeEach(({ skip }) => skip(tmuxIsMissing, 'tmux is not installed'))

/** A service that answers each request with an empty list, when it is told to. */
async function slowService() {
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
    answer: () => {
      for (const send of waiting.splice(0)) send()
    },
  }
}

test('a slow service is named while it is waited for, and nothing of that is left', async () => {
  const { host, answer } = await slowService()
  const env = { TT_BASE_URL: `http://${host}/api/v1`, TT_TOKEN: 'token' }
  const terminal = openTerminal(temporaryDirectory(), env)
  terminal.command('clients')
  await terminal.shows(`Asking ${host} …`)
  answer()
  await terminal.shows('exit=0')
  expect(terminal.screen()).not.toContain('Asking')

  terminal.command('clients')
  await terminal.shows(`Asking ${host} …`)
  terminal.type('', 'C-c')
  await terminal.shows('exit=130')
  expect(terminal.screen()).not.toContain('Asking')
  expect(terminal.screen()).toMatch(/^(\^C)?error: Interrupted\.$/m)
})

test('tt admin seed and tt report say how far they are', async () => {
  const terminal = openTerminal(temporaryDirectory(), { TT_PAGER: '' })
  terminal.command('admin seed --entries 200000')
  await terminal.shows(/Made [\d,]+ of 200,000 entries/)
  await terminal.shows('exit=0')
  expect(terminal.screen()).not.toContain('Made')
  terminal.command('report --since 1990-01-01 --by project')
  await terminal.shows(/Read [\d,]+ entries …/)
  await terminal.shows('exit=0')
  expect(terminal.screen()).not.toContain('Read ')
})
