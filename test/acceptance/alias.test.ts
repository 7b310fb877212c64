import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
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

test('SIGTERM ends the script of a shell alias', async () => {
  const home = temporaryDirectory()
  await tt(home, ['alias', 'set', 'wait', '!trap "exit 5" TERM; echo ready; while :; do sleep 0.05; done'])
  const child = spawn(process.execPath, [bin, 'wait'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = waitForExit(child)
  child.stdout.once('data', () => child.kill('SIGTERM'))
  expect(await exit).toMatchObject({ status: 5, stdout: 'ready\n' })
})

test.each([
  ['ends the script of a shell alias, and the exit code is 130', '!echo ready; sleep 60', 130, 'ready\n'],
  [
    'is left to a script that handles it',
    '!trap "echo end; exit 3" INT; echo ready; sleep 60',
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
