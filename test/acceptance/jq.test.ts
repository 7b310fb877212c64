import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  bin,
  cleanEnvironment,
  createSeededHome,
  isInstalled,
  run,
  startProcess,
  temporaryDirectory,
  tt,
} from '../support/process.js'
import { share } from '../support/share.js'

test('--jq prints what jq -rc prints for the same JSON', async ({ skip }) => {
  skip(!isInstalled('jq'), 'jq is not installed')
  const home = await createSeededHome(300)
  const env = cleanEnvironment({ TT_HOME: home })
  const expressions = share('jq expressions', [
    '.[0]',
    '.[] | .notes, .project',
    'group_by(.project) | map({project: .[0].project, seconds: map(.duration_seconds) | add})',
    '.[] | select(.duration_seconds > 3600) | [.id, .time_start] | @tsv',
    '[.[] | .time_start[0:10]] | unique | length',
  ])
  for (const expression of expressions) {
    const line = '"$0" "$1" log --since 1990-01-01 --json | jq -rc "$2"'
    const expected = await run('bash', ['-c', line, process.execPath, bin, expression], { env })
    expect(expected.stdout).not.toBe('')
    const argv = ['log', '--since', '1990-01-01', '--json', '--jq', expression]
    expect(await tt(home, argv)).toMatchObject({ status: 0, stdout: expected.stdout })
  }
})

const expressionsWithoutMemory = share<[what: string, expression: string]>('jq expressions without memory', [
  ['an endless array', '[range(infinite)]'],
  ['a value that is nested too deeply', 'reduce range(100000) as $i (null; [.])'],
])

test.each(expressionsWithoutMemory)(
  '%s ends with a message, and nothing of WebAssembly',
  async (_, expression) => {
    expect(await tt(temporaryDirectory(), ['status', '-q', '--jq', expression])).toMatchObject({
      status: 1,
      stdout: '',
      stderr:
        'error: The jq expression failed: out of memory. The input or a result is too large, or the expression recurses too deeply.\nThe command itself succeeded: only its output was not filtered. Use --ndjson, which filters one record after another, or --json and a pipe to the program jq.\n',
    })
  },
)

test('a constant that is too large is an invalid expression', async () => {
  expect(await tt(temporaryDirectory(), ['status', '--jq', '"x" * 1000000000'])).toEqual({
    ...{ status: 2, signal: null, stdout: '' },
    stderr: 'error: Invalid jq expression: out of memory\nSee https://jqlang.org/manual/ for the language.\n',
  })
})

test('Ctrl-C ends an endless expression', async ({ skip }) => {
  skip(!existsSync('/proc/self/stat'), 'no /proc to read the processor time of a process')
  const argv = [bin, 'status', '--jq', 'last(range(infinite))']
  const env = cleanEnvironment({ TT_HOME: temporaryDirectory() })
  const { child, exit } = startProcess(process.execPath, argv, { env })
  // The start takes much less processor time, so the evaluation has begun.
  while (processorSeconds(child.pid) < 1) await new Promise((resolve) => setTimeout(resolve, 50))
  child.kill('SIGINT')
  expect(await exit).toMatchObject({ signal: 'SIGINT', stdout: '' })
})

/** Returns the user time of a running process; see proc_pid_stat(5). */
function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticksPerSecond = 100
  return Number(fields[11]) / ticksPerSecond
}

test('tt export --ndjson --jq filters any number of entries with little memory', async () => {
  const home = await createSeededHome(50_000)
  const expression = 'if .id % 1000 == 0 then [.id, .project] else empty end'
  const argv = ['--max-old-space-size=40', bin, 'export', '--ndjson', '--jq', expression]
  const filtered = await run(process.execPath, argv, { env: cleanEnvironment({ TT_HOME: home }) })
  expect(filtered).toMatchObject({ status: 0, stderr: '' })
  const ids = filtered.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as [number])[0])
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => (index + 1) * 1000))
})
