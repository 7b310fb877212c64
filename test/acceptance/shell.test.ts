import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  bin,
  cleanEnvironment,
  createSeededHome,
  hasSignals,
  isInstalled,
  run,
  temporaryDirectory,
  tt,
  waitForExit,
} from '../support/process.js'
import { startSlowService } from './slow-service.js'

const runInShell = (home: string, line: string, env: Record<string, string> = {}) =>
  run('bash', ['-c', `set -o pipefail; tt() { "${process.execPath}" "${bin}" "$@"; }; ${line}`], {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
  })

test.skipIf(process.platform !== 'linux')(
  'output that the shell has closed or that cannot be written is a failure, and discarded output is not',
  async () => {
    const home = await createSeededHome(5)
    const status = async (line: string) => (await runInShell(home, `${line}; echo $? >&2`)).stderr
    const failure = 'error: The output could not be written: standard output is closed.\n1\n'
    expect(await status('tt log --since 1990-01-01 >&-')).toBe(failure)
    expect(await status('tt export >&-')).toContain(failure)
    expect(await status('tt log --since 1990-01-01 >/dev/null')).toBe('0\n')
    const full = await runInShell(home, 'tt log --since 1990-01-01 --json >/dev/full')
    expect(full).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The output could not be written'),
    })
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
  expect((await runInShell(home, 'tt show 99999 | cat; echo $PIPESTATUS')).stdout).toBe('3\n')
})

test('a long list is complete in a pipe and in a file', async () => {
  const home = await createSeededHome(5000)
  const count = await runInShell(
    home,
    'tt log --since 1990-01-01 --ndjson | wc -l; tt log --since 1990-01-01 --csv > "$TT_HOME/all.csv"; wc -l < "$TT_HOME/all.csv"',
  )
  expect(count.stdout.trim().split(/\s+/)).toEqual(['5000', '5001'])
})

test('output has colour in a terminal, unless a variable disables it, and never in a pipe', async ({
  skip,
}) => {
  skip(process.platform !== 'linux' || !isInstalled('script'), 'script (util-linux) is not installed')
  const home = await createSeededHome(20)
  const escapes = async (env: Record<string, string>) => {
    const line = [process.execPath, bin, 'log', '--since', '1990-01-01'].join(' ')
    const shown = await run('script', ['-qec', line, '/dev/null'], {
      env: cleanEnvironment({ TT_HOME: home, TERM: 'xterm', ...env }),
    })
    expect(shown.stdout).toContain('Duration')
    return shown.stdout.includes('\u001b[')
  }
  expect(await escapes({})).toBe(true)
  expect(await escapes({ NO_COLOR: '1' })).toBe(false)
  for (const env of [{}, { FORCE_COLOR: '1' }]) // TSV has no colour at all.
    expect((await tt(home, ['log', '--since', '1990-01-01'], env)).stdout).not.toContain('\u001b[')
})

test.runIf(hasSignals)(
  'Ctrl-C ends a waiting command with 130, and with an error object under --json',
  async () => {
    const { url, requested } = await startSlowService()
    const child = spawn(process.execPath, [bin, 'log', '--json'], {
      env: cleanEnvironment({ TT_HOME: temporaryDirectory(), TT_BASE_URL: url, TT_TOKEN: 'x' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = waitForExit(child)
    await requested
    child.kill('SIGINT')
    const outcome = await ended
    expect(outcome).toMatchObject({ status: 130, stdout: '' })
    expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code: 'interrupted' } })
  },
)

test('help and version print to stdout, exit with 0 and create no file', async () => {
  const home = join(temporaryDirectory(), 'none')
  expect(await tt(home, ['--help'])).toMatchObject({
    ...{ status: 0, stderr: '', stdout: expect.stringContaining('Usage: tt') },
  })
  expect((await tt(home, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(() => mkdirSync(home)).not.toThrow()
})
