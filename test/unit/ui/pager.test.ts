// @module-tag slow

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { pagedScreen, Stdout, writeAll } from '../../../src/cli/output/stdout.js'
import { temporaryDirectory } from '../../support/process.js'
import { createTestHost, unreadText } from '../../support/test-host.js'

/** Creates a terminal of five lines with this JavaScript program as its pager. */
function terminal(program: string, env: Record<string, string> = {}) {
  const home = temporaryDirectory()
  const script = join(home, 'pager.cjs')
  writeFileSync(script, program)
  const stdout = Object.assign(new PassThrough(), { isTTY: true, rows: 5 })
  let stop = () => {}
  const host = createTestHost({
    stdout,
    env: { ...process.env, TT_PAGER: `"${process.execPath}" "${script}"`, SEEN: join(home, 'seen'), ...env },
    cwd: () => home,
    untilStopped: () =>
      new Promise((resolve) => {
        stop = resolve
      }),
  })
  const warnings: string[] = []
  const output = new Stdout(stdout)
  return {
    warnings,
    stop: () => stop(),
    show: (texts: Iterable<string> | AsyncIterable<string>) =>
      writeAll(
        texts,
        output,
        pagedScreen(host, (text) => warnings.push(text)),
      ),
    screen: () => unreadText(stdout),
    seen: () => readFileSync(join(home, 'seen'), 'utf8'),
  }
}

const copyProgram = `process.stdin.pipe(require('fs').createWriteStream(process.env.SEEN))`
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`)

test('prints directly text that fits on the screen above the next prompt', async () => {
  const { show, screen, seen } = terminal(copyProgram)
  await show(lines(4))
  expect(screen()).toBe(lines(4).join(''))
  expect(seen).toThrow('ENOENT')
})

test.each([5, 20_000])('passes %i lines to the pager, complete and in order', async (count) => {
  const { show, screen, seen } = terminal(copyProgram)
  await show(lines(count))
  expect([screen(), seen()]).toEqual(['', lines(count).join('')])
})

test('sets LESS and LESSCHARSET unless they are set', async () => {
  const environmentProgram = `require('fs').writeFileSync(process.env.SEEN, process.env.LESS + process.env.LESSCHARSET)`
  const usual = terminal(environmentProgram)
  await usual.show(lines(5))
  expect(usual.seen()).toBe('FRXutf-8')
  const own = terminal(environmentProgram, { LESS: '-S', LESSCHARSET: 'latin1' })
  await own.show(lines(5))
  expect(own.seen()).toBe('-Slatin1')
})

test('a pager that exits early ends the output without an error', async () => {
  const { show, screen } = terminal('process.stdin.once("data", () => process.exit(1))')
  let chunks = 0
  async function* endless() {
    for (;;) {
      chunks++
      yield 'x\n'.repeat(1000)
    }
  }
  await show(endless())
  expect(chunks).toBeGreaterThan(0)
  expect(screen()).toBe('')
})

test('Ctrl-C ends the output, and the pager continues until it exits', async () => {
  const { show, stop, seen } = terminal(`
    const fs = require('fs')
    process.stdin.once('data', () => fs.writeFileSync(process.env.SEEN, 'reading'))
    process.stdin.once('end', () => fs.writeFileSync(process.env.SEEN, 'quit'))
    process.stdin.resume()`)
  async function* endless() {
    for (;;) yield 'x\n'.repeat(1000)
  }
  const shown = show(endless())
  await vi.waitFor(() => expect(seen()).toBe('reading'), 60_000)
  stop()
  await shown
  expect(seen()).toBe('quit')
})

test('prints the text and a warning when the pager cannot be started', async () => {
  const { show, warnings, screen } = terminal('', { TT_PAGER: '/nonesuch/pager -R' })
  await show(lines(9))
  expect(screen()).toBe(lines(9).join(''))
  expect(warnings).toEqual(['The pager /nonesuch/pager cannot be started (ENOENT).'])
})

test('a dumb terminal has no pager', async () => {
  const { show, screen } = terminal(copyProgram, { TERM: 'dumb' })
  await show(lines(9))
  expect(screen()).toBe(lines(9).join(''))
})
