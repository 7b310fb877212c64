import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'
import { startSlowService } from './slow-service.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

const runClients = async (delayMs?: number) => {
  const { url, host } = await startSlowService(delayMs)
  const env = { TT_BASE_URL: url, TT_TOKEN: 'token' }
  const terminal = openTerminal(temporaryDirectory(), env)
  const output = terminal.record()
  terminal.runTt('clients')
  return { terminal, output, label: `Waiting for ${host} …` }
}

test('tt names a slow service while it waits, and then clears the line', async () => {
  const { terminal, output, label } = await runClients(2000)
  await terminal.waitForText('exit=0')
  expect(output()).toContain(label)
  expect(terminal.screen()).not.toContain('Waiting')
})

test('tt clears the name of a slow service at Ctrl-C', async () => {
  const { terminal, label } = await runClients()
  await terminal.waitForText(label)
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
