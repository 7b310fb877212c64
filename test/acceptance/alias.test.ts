import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin, cleanEnvironment, temporaryDirectory, tt, waitForExit } from '../support/process.js'

test('a shell alias receives its arguments and passes the exit code on', async () => {
  const home = temporaryDirectory()
  const set = (name: string, script: string) => tt(home, ['alias', 'set', name, script, '--shell'])
  expect(await set('both', 'echo "$2, $1"; exit 7')).toMatchObject({ status: 0 })
  expect(await tt(home, ['both', 'a b', '$HOME;c'])).toEqual({
    status: 7,
    signal: null,
    stdout: '$HOME;c, a b\n',
    stderr: '',
  })
  await set('appended', 'printf "%s."')
  expect(await tt(home, ['appended', 'x y', 'z'])).toMatchObject({ status: 0, stdout: 'x y.z.' })
  await set('killed', 'kill -TERM $$')
  expect(await tt(home, ['killed'])).toMatchObject({ status: 143 })
  expect(await tt(home, ['both'], { PATH: home })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Shell aliases need `sh` on the PATH.'),
  })
})

test('SIGTERM that arrives while the script of a shell alias starts ends the script', async () => {
  const home = temporaryDirectory()
  await tt(home, ['alias', 'set', 'wait', '!trap "exit 5" TERM; echo ready; while :; do sleep 0.05; done'])
  // The script can run before `spawn` has returned, as on a busy machine.
  const slowSpawn = join(home, 'slow-spawn.cjs')
  writeFileSync(
    slowSpawn,
    `const childProcess = require('node:child_process')
    const { spawn } = childProcess
    childProcess.spawn = (...args) => {
      const child = spawn(...args)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      return child
    }
    require('node:module').syncBuiltinESMExports()`,
  )
  const child = spawn(process.execPath, ['--require', slowSpawn, bin, 'wait'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => endGroup(child))
  const exit = new Promise((resolve) => child.on('exit', (status, signal) => resolve({ status, signal })))
  child.stdout.once('data', () => child.kill('SIGTERM'))
  expect(await exit).toEqual({ status: 5, signal: null })
})

test.each([
  [
    'ends the script of a shell alias, and the exit code is 130',
    '!echo ready; while :; do sleep 0.05; done',
    130,
    'ready\n',
  ],
  [
    'is left to a script that handles it',
    '!trap "echo end; exit 3" INT; echo ready; while :; do sleep 0.05; done',
    3,
    'ready\nend\n',
  ],
])('Ctrl-C %s', async (_, expansion, status, stdout) => {
  const home = temporaryDirectory()
  await tt(home, ['alias', 'set', 'wait', expansion])
  // A terminal sends the signal to all processes of the group.
  const child = spawn(process.execPath, [bin, 'wait'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exit = waitForExit(child)
  child.stdout.once('data', () => process.kill(-(child.pid ?? 0), 'SIGINT'))
  expect(await exit).toMatchObject({ status, stdout, stderr: '' })
})

/** Ends the processes of a group that a failed test leaves behind. */
function endGroup({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}
