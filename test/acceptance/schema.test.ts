import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { differences } from '../support/described-output.js'
import { bin, cleanEnvironment, temporaryDirectory, waitForExit } from '../support/process.js'

// What other commands print is compared whenever a test runs them in its process.
test.each(['watch', 'serve'] as const)(
  'tt %s prints what its schema describes until it is ended',
  async (name) => {
    const options = name === 'serve' ? ['--port', '0'] : []
    const child = spawn(process.execPath, [bin, name, '--json', ...options], {
      env: cleanEnvironment({ TT_HOME: temporaryDirectory() }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exit = waitForExit(child)
    child.stdout.once('data', () => child.kill('SIGTERM'))
    const { stdout } = await exit
    const shape = commandShapes[name]
    const texts = name === 'watch' ? stdout.trimEnd().split('\n') : [stdout]
    expect(texts.flatMap((text) => (shape ? differences(name, shape.json, text) : 'no schema'))).toEqual([])
  },
)
