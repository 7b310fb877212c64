import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Host } from '../../../src/cli/host.js'
import { pagedScreen, Stdout, writeAll } from '../../../src/cli/stdout.js'
import { pagerCommands } from '../../../src/ui/pager.js'
import { splitCommand } from '../../../src/ui/split-command.js'

const fallback = [['less'], ['more']]

test.each([
  [{}, fallback],
  [{ PAGER: 'most -s' }, [['most', '-s']]],
  [{ PAGER: 'most', TT_PAGER: 'less -S' }, [['less', '-S']]],
  [{ PAGER: 'most', TT_PAGER: '' }, []],
  [{ PAGER: '' }, []],
  [{ PAGER: ' cat ' }, []],
  [{ PAGER: 'cat -n' }, [['cat', '-n']]],
])('with %j the pagers to try are %j', (env, commands) => {
  expect(pagerCommands(env)).toEqual(commands)
})

test.each([
  ['less -R  -S', ['less', '-R', '-S']],
  [`"/opt/my pager" '-x y' --z="1 2"`, ['/opt/my pager', '-x y', '--z="1', '2"']],
  ['less; rm -rf $HOME', ['less;', 'rm', '-rf', '$HOME']],
  ['"C:\\Program Files\\less.exe"', ['C:\\Program Files\\less.exe']],
  ['', []],
])('the words of %j are %j, and none means anything to a shell', (command, words) => {
  expect(splitCommand(command)).toEqual(words)
})

/** A terminal of five lines, whose pager is this program. */
function terminal(program: string, env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'tt-pager-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const script = join(home, 'pager.cjs')
  writeFileSync(script, program)
  const stdout = Object.assign(new PassThrough(), { isTTY: true, rows: 5 })
  let stop = () => {}
  const host: Host = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    promptOutput: new PassThrough(),
    env: { ...process.env, TT_PAGER: `"${process.execPath}" "${script}"`, SEEN: join(home, 'seen'), ...env },
    cwd: () => home,
    now: () => new Date(0),
    onInterrupt: () => {},
    untilStopped: () =>
      new Promise((resolve) => {
        stop = resolve
      }),
    interruption: () => new AbortController().signal,
    leaveInterrupts: () => () => {},
  }
  const said: string[] = []
  const output = new Stdout(stdout)
  return {
    said,
    stop: () => stop(),
    show: (texts: Iterable<string> | AsyncIterable<string>) =>
      writeAll(
        texts,
        output,
        pagedScreen(host, (text) => said.push(text)),
      ),
    screen: () => String(stdout.read() ?? ''),
    seen: () => readFileSync(join(home, 'seen'), 'utf8'),
  }
}

const copying = `process.stdin.pipe(require('fs').createWriteStream(process.env.SEEN))`
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`)

test('what fits on the screen above the next prompt is printed', async () => {
  const { show, screen, seen } = terminal(copying)
  await show(lines(4))
  expect(screen()).toBe(lines(4).join(''))
  expect(seen).toThrow('ENOENT')
})

test.each([5, 20_000])('%i lines go through the pager, whole and in order', async (count) => {
  const { show, screen, seen } = terminal(copying)
  await show(lines(count))
  expect([screen(), seen()]).toEqual(['', lines(count).join('')])
})

test('less is told to keep colours unless it has been told something else', async () => {
  const telling = `require('fs').writeFileSync(process.env.SEEN, process.env.LESS + process.env.LESSCHARSET)`
  const usual = terminal(telling)
  await usual.show(lines(5))
  expect(usual.seen()).toBe('FRXutf-8')
  const own = terminal(telling, { LESS: '-S', LESSCHARSET: 'latin1' })
  await own.show(lines(5))
  expect(own.seen()).toBe('-Slatin1')
})

test('a pager that is quit early ends the text, without an error', async () => {
  const { show, screen } = terminal('process.stdin.once("data", () => process.exit(1))')
  let made = 0
  async function* endless() {
    for (;;) {
      made++
      yield 'x\n'.repeat(1000)
    }
  }
  await show(endless())
  expect(made).toBeGreaterThan(0)
  expect(screen()).toBe('')
})

test('after Ctrl-C there is no more text, and the pager still has the terminal until it is quit', async () => {
  const { show, stop, seen } = terminal(`
    const fs = require('fs')
    process.stdin.once('data', () => fs.writeFileSync(process.env.SEEN, 'reading'))
    process.stdin.once('end', () => fs.writeFileSync(process.env.SEEN, 'quit'))
    process.stdin.resume()`)
  async function* endless() {
    for (;;) yield 'x\n'.repeat(1000)
  }
  const shown = show(endless())
  await vi.waitFor(() => expect(seen()).toBe('reading'), 10_000)
  stop()
  await shown
  expect(seen()).toBe('quit')
})

test('without a pager that can be started the text is printed, and the reason is told', async () => {
  const { show, said, screen } = terminal('', { TT_PAGER: '/nonesuch/pager -R' })
  await show(lines(9))
  expect(screen()).toBe(lines(9).join(''))
  expect(said).toEqual(['The pager /nonesuch/pager cannot be started (ENOENT).'])
})

test('a terminal that can do nothing has no pager', async () => {
  const { show, screen } = terminal(copying, { TERM: 'dumb' })
  await show(lines(9))
  expect(screen()).toBe(lines(9).join(''))
})
