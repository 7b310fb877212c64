import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  bin,
  cleanEnvironment,
  createSeededHome,
  hasSignals,
  isInstalled,
  run,
  startServeProcess,
  temporaryDirectory,
  tt,
  waitForExit,
} from '../support/process.js'

const runInShell = (home: string, line: string, env: Record<string, string> = {}) =>
  run('bash', ['-c', `set -o pipefail; tt() { "${process.execPath}" "${bin}" "$@"; }; ${line}`], {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
  })

test.skipIf(process.platform !== 'linux')(
  'output that the shell has closed is a failure, and discarded output is not',
  async () => {
    const home = await createSeededHome(5)
    const status = async (line: string) => (await runInShell(home, `${line}; echo $? >&2`)).stderr
    const failure = 'error: The output could not be written: standard output is closed.\n1\n'
    expect(await status('tt log --since 1990-01-01 >&-')).toBe(failure)
    expect(await status('tt export >&-')).toContain(failure)
    expect(await status('tt log --since 1990-01-01 >/dev/null')).toBe('0\n')
    // Node discards the output of a child by a file that is open for reading too.
    const child = spawn(process.execPath, [bin, 'log', '--since', '1990-01-01'], {
      env: cleanEnvironment({ TT_HOME: home }),
      stdio: 'ignore',
    })
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  },
)

test('a closed pipe ends a long list silently with exit 0', async () => {
  const home = await createSeededHome(20_000)
  const cut = await runInShell(home, 'tt log --since 1990-01-01 --ndjson | head -1; echo $PIPESTATUS')
  expect(cut.stderr).toBe('')
  const [line, status, ...rest] = cut.stdout.split('\n')
  expect(JSON.parse(line ?? '')).toHaveProperty('time_start')
  expect([status, rest]).toEqual(['0', ['']])
})

test('a long list is complete in a pipe and in a file', async () => {
  const home = await createSeededHome(5000)
  const count = await runInShell(
    home,
    'tt log --since 1990-01-01 --ndjson | wc -l; tt log --since 1990-01-01 --csv > "$TT_HOME/all.csv"; wc -l < "$TT_HOME/all.csv"',
  )
  expect(count.stdout.trim().split(/\s+/)).toEqual(['5000', '5001'])
})

test.runIf(existsSync('/dev/full'))('output that cannot be written exits with 1', async () => {
  const home = await createSeededHome(10)
  const outcome = await runInShell(home, 'tt log --since 1990-01-01 --json > /dev/full')
  expect(outcome).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The output could not be written'),
  })
})

test('--json is one value for jq, and an error under it is one object on stderr', async ({ skip }) => {
  skip(!isInstalled('jq'), 'jq is not installed')
  const home = await createSeededHome(100)
  expect((await runInShell(home, 'tt log --since 1990-01-01 --json | jq length')).stdout).toBe('100\n')
  expect((await runInShell(home, 'tt status --json | jq -c .')).stdout).toBe('null\n')
  const failed = await runInShell(
    home,
    'tt show 99999 --json 2>&1 >/dev/null | jq -r .error.code; echo $PIPESTATUS',
  )
  expect(failed.stdout).toBe('not_found\n3\n')
})

test('output to a pipe has colour only on request', async () => {
  const home = await createSeededHome(20)
  const escapes = async (env: Record<string, string>, ...argv: string[]) =>
    (await tt(home, ['log', '--since', '1990-01-01', ...argv], env)).stdout.includes('\u001b[')
  expect(await escapes({})).toBe(false)
  expect(await escapes({ FORCE_COLOR: '1' })).toBe(false) // TSV has no colour at all.
})

test('terminal output has colour unless an option or an environment variable disables it', async ({
  skip,
}) => {
  skip(process.platform !== 'linux' || !isInstalled('script'), 'script (util-linux) is not installed')
  const home = await createSeededHome(20)
  const escapes = async (env: Record<string, string>, ...argv: string[]) => {
    const line = [process.execPath, bin, 'log', '--since', '1990-01-01', ...argv].join(' ')
    const shown = await run('script', ['-qec', line, '/dev/null'], {
      env: cleanEnvironment({ TT_HOME: home, TERM: 'xterm', ...env }),
    })
    expect(shown.stdout).toContain('Duration')
    return shown.stdout.includes('\u001b[')
  }
  expect(await escapes({})).toBe(true)
  expect(await escapes({ NO_COLOR: '1' })).toBe(false)
  expect(await escapes({ CLICOLOR: '0' })).toBe(false)
  expect(await escapes({ TERM: 'dumb' })).toBe(false)
  expect(await escapes({ FORCE_COLOR: '0' })).toBe(false)
  expect(await escapes({}, '--no-color')).toBe(false)
})

test.runIf(hasSignals)(
  'Ctrl-C ends a waiting command with 130, and with an error object under --json',
  async () => {
    const home = temporaryDirectory()
    const { url } = await startServeProcess(home)
    const silentService = await startSilentService()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
    const child = spawn(process.execPath, [bin, 'log', '--json'], {
      env: cleanEnvironment({ TT_HOME: home, TT_BASE_URL: silentService.url, TT_TOKEN: 'x' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = waitForExit(child)
    await silentService.requested
    child.kill('SIGINT')
    const outcome = await ended
    expect(outcome).toMatchObject({ status: 130, stdout: '' })
    expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code: 'interrupted' } })
  },
)

test.runIf(hasSignals)('tt serve prints its address, and stops on Ctrl-C with exit 0', async () => {
  const { child, exit } = await startServeProcess(temporaryDirectory())
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ status: 0, signal: null })
})

test('a port in use is an error', async () => {
  const { url } = await startServeProcess(temporaryDirectory())
  const { port } = new URL(url)
  const rejected = await tt(temporaryDirectory(), ['serve', '--port', port])
  expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining(port) })
})

test('help and version print to stdout, exit with 0 and create no file', async () => {
  const home = join(temporaryDirectory(), 'none')
  for (const argv of [
    ['--help'],
    ['help'],
    ['start', '--help'],
    ['help', 'start'],
    ['expenses', 'add', '--help'],
  ]) {
    const shown = await tt(home, argv)
    expect({ argv, ...shown }).toMatchObject({
      argv,
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('Usage: tt'),
    })
  }
  expect((await tt(home, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(() => mkdirSync(home)).not.toThrow()
})

test('an unknown command exits with 2 and suggests the nearest name', async () => {
  const home = temporaryDirectory()
  const wrong = await tt(home, ['strat', '--json'])
  expect(wrong).toMatchObject({ status: 2, stdout: '' })
  expect(JSON.parse(wrong.stderr).error).toMatchObject({
    code: 'usage',
    message: 'Unknown command "strat". Did you mean start?',
  })
  expect(await tt(home, ['admin'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('Usage: tt admin'),
  })
})

/** Starts a server that receives requests and never responds. */
async function startSilentService(): Promise<{ url: string; requested: Promise<void> }> {
  const { createServer } = await import('node:http')
  const { onTestFinished } = await import('vitest')
  let resolveRequested = () => {}
  const requested = new Promise<void>((resolve) => {
    resolveRequested = resolve
  })
  const server = createServer(() => resolveRequested())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { url: `http://127.0.0.1:${address.port}/api/v1`, requested }
}
