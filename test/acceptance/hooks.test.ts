import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { bin, cleanEnvironment, startProcess, temporaryDirectory, tt, ttJson } from '../support/process.js'

test('Ctrl-C while a hook runs ends the hook and its child processes, and the change remains', async () => {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design'])).toMatchObject({ status: 0 })
  const pids = join(home, 'pids')
  const hook = join(home, 'hooks', 'on-stop')
  mkdirSync(join(home, 'hooks'), { mode: 0o755 })
  writeFileSync(
    hook,
    `#!/bin/sh\nsleep 600 &\necho $$ $! > '${pids}.new'\nmv '${pids}.new' '${pids}'\nwait\n`,
  )
  chmodSync(hook, 0o755)
  const { child, exit } = startProcess(process.execPath, [bin, 'stop'], {
    env: cleanEnvironment({ TT_HOME: home }),
  })
  await vi.waitFor(() => expect(existsSync(pids)).toBe(true), { timeout: 120_000, interval: 10 })
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ status: 130, stderr: expect.stringContaining('error: Interrupted.') })
  for (const pid of readFileSync(pids, 'utf8').trim().split(' ').map(Number))
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 120_000 })
  expect(await ttJson(home, 'status')).toBeNull()
})
