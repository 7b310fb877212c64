// @module-tag slow

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test, vi } from 'vitest'
import { createBrowser } from '../../../src/ui/browser.js'
import { temporaryDirectory } from '../../support/process.js'
import { rejectionOf } from '../api-client/test-server.js'

const run = promisify(execFile)
const root = new URL('../../../', import.meta.url)
const address = 'https://example.com/authorize?client_id=a&state=b%20c'

/** Creates a program that records its arguments and exits with this status, in a path with spaces. */
async function browserNamed(name: string, status = 0) {
  const directory = join(temporaryDirectory(), 'my browser')
  await mkdir(directory)
  const program = join(directory, name)
  const seen = join(directory, 'seen')
  await writeFile(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}.new'\nmv '${seen}.new' '${seen}'\nexit ${status}\n`,
  )
  await chmod(program, 0o755)
  // opener() does not wait until the browser exits.
  const receivedArguments = async () => {
    const text = await vi.waitFor(() => readFile(seen, 'utf8'), { timeout: 60_000 })
    return text.trimEnd().split('\n')
  }
  return { directory, program, receivedArguments, wasStarted: () => existsSync(seen) }
}

const opener = (BROWSER: string) => {
  const open = createBrowser({ BROWSER })
  if (!open) throw new Error('It opens nothing.')
  return open
}

test.each(['', ' ', 'none', 'NONE'])('BROWSER=%j opens nothing', (BROWSER) => {
  expect(createBrowser({ BROWSER })).toBeUndefined()
})

test.each([
  ['"PROGRAM"', [address]],
  ['"PROGRAM" --profile "my own" \'x y\'', ['--profile', 'my own', 'x y', address]],
  ['"PROGRAM" --url=%s --wait', [`--url=${address}`, '--wait']],
])('starts BROWSER=%s with the address as an argument', async (command, expected) => {
  const browser = await browserNamed('some browser')
  await opener(command.replace('PROGRAM', browser.program))(address)
  expect(await browser.receivedArguments()).toEqual(expected)
})

test('no shell reads the command or the address', async () => {
  const browser = await browserNamed('browser')
  const hostile = 'https://example.com/$(touch owned)`id`;echo&x=\'"|a'
  await opener(`"${browser.program}" $HOME ; echo`)(hostile)
  const received = await browser.receivedArguments()
  expect(received.slice(0, 3)).toEqual(['$HOME', ';', 'echo'])
  expect(received[3]).toMatch(/^https:\/\/example\.com\//)
  expect(received[3]).not.toMatch(/[$`'"|() ]/)
  expect(decodeURIComponent(received[3] ?? '')).toBe(hostile)
})

test.each(['file:///etc/passwd', 'javascript:alert(1)', '--help'])('does not open %j', async (url) => {
  const browser = await browserNamed('browser')
  expect(await rejectionOf(opener(`"${browser.program}"`)(url))).toMatchObject({ code: 'usage' })
  expect(browser.wasStarted()).toBe(false)
})

test('reports a missing browser', async () => {
  const failure = await rejectionOf(opener('/nowhere/browser')(address))
  expect(failure.code).toBe('failure')
  expect(failure.message).toMatch(/^No browser could be opened \(.*ENOENT.*\)\.$/)
})

test('reports a browser that fails at once', async () => {
  const browser = await browserNamed('browser', 3)
  expect((await rejectionOf(opener(`"${browser.program}"`)(address))).message).toContain(
    'ended with status 3',
  )
})

test.runIf(process.platform === 'linux')(
  "the built program opens the system's browser, although node:child_process is replaced",
  async () => {
    const browser = await browserNamed('xdg-open')
    const entry = join(browser.directory, 'entry.ts')
    const bundle = join(browser.directory, 'bundle.cjs')
    await writeFile(
      entry,
      `import { createBrowser } from ${JSON.stringify(new URL('src/ui/browser.ts', root).pathname)}
       createBrowser({})?.(process.argv[2] ?? '').catch((error) => {
         process.stderr.write(error.message)
         process.exitCode = 1
       })`,
    )
    const { bundling, ownAddress } = await import('../../../src/build/bundling.mjs')
    await build({
      ...bundling,
      entryPoints: [entry],
      outfile: bundle,
      format: 'cjs',
      banner: { js: ownAddress },
    })
    const env = { PATH: `${browser.directory}:/usr/bin:/bin`, HOME: browser.directory }
    await run(process.execPath, [bundle, address], { env })
    expect(await browser.receivedArguments()).toEqual([address])

    await rm(browser.program)
    const failed = await run(process.execPath, [bundle, address], {
      env: { ...env, PATH: browser.directory },
    }).catch((error) => error)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('No browser could be opened') })
  },
)
