// @module-tag slow

import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../support/process.js'

const scripts = fileURLToPath(new URL('../../../../completions', import.meta.url))
const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

/** Words with every special character of shells. */
const word = fc
  .array(
    fc.oneof(
      fc.constantFrom(...' "\'\\$`!#~^=;&|<>()[]{}*?%@:,.-+/aä🎉', '$(touch CANARY)', '`id`'),
      fc.string({ unit: 'grapheme', maxLength: 2 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join('').replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ''))
  .filter((text) => text !== '')

/** Creates a directory with a `tt` that records its arguments and prints the value in the variable OFFER. */
function fakeHome() {
  const home = temporaryDirectory()
  const calls = join(home, 'calls')
  writeFileSync(
    join(home, 'tt'),
    `#!/bin/sh\n{ printf '%s\\0' "$@"; printf '\\1'; } >> '${calls}'\nprintf '%s\\tx\\n' "$OFFER"\n`,
  )
  chmodSync(join(home, 'tt'), 0o755)
  return {
    home,
    env: { PATH: `${home}:${process.env.PATH}`, HOME: home, LC_ALL: 'C.UTF-8' },
    /** Returns the arguments of each call since the last time. */
    receivedCalls() {
      const text = readFileSync(calls, 'utf8')
      rmSync(calls)
      return parts(text, '\u0001').map((call) => parts(call, '\0'))
    },
  }
}

/** Splits a text whose parts all end with the separator. */
const parts = (text: string, separator: string) => text.split(separator).slice(0, -1)

/** Several lines for one process of a shell, since its start takes most of the time. */
const batchOf = <Line>(line: fc.Arbitrary<Line>, maxLength: number) =>
  fc.array(line, { minLength: 1, maxLength, size: 'max' })

const expectedCalls = (lines: { before: string[]; last: string }[]) =>
  lines.map(({ before, last }) => ['__complete', '--', ...before, last])

describe('bash', () => {
  beforeEach(({ skip }) => skip(!isThere('bash'), 'bash is not installed'))

  const source = `complete() { :; }; compopt() { :; }; source '${scripts}/tt.bash'`

  test('reads the inserted text as the offered value in every quoting style', () => {
    const { home, env } = fakeHome()
    const quote = fc.constantFrom('', '"', "'")
    fc.assert(
      fc.property(batchOf(fc.tuple(word, quote), 400), (all) => {
        const quoting = `${source}; while (($#)); do COMPREPLY=(); _tt_quote "$1" "$2"; printf '%s\\0' "$COMPREPLY"; shift 2; done`
        const quoted = parts(printed('bash', ['-c', quoting, 'bash', ...all.flat()], env, home), '\0')
        const typed = quoted.map((text, index) => {
          const open = all[index]?.[1] ?? ''
          // As in bash, a quote at either end stands for that of the line.
          return `${text.startsWith(open) ? '' : open}${text}${text.endsWith(open) ? '' : open}`
        })
        const read = parts(printed('bash', ['-c', `printf '%s\\0' ${typed.join(' ')}`], env, home), '\0')
        expect(read).toEqual(all.map(([text]) => text))
      }),
      { numRuns: 2 },
    )
  })

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedCalls } = fakeHome()
    const run = `${source}; COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'; export OFFER
while (($#)); do
  COMP_LINE=$1; COMP_POINT=\${#1}; OFFER=$2; COMPREPLY=(); shift 2
  _tt; printf '%s\\0' "\${COMPREPLY[@]}"; printf '\\1'
done`
    const property = fc.property(batchOf(line, 40), (lines) => {
      const argv = lines.flatMap(({ before, last, how }) => [
        ['tt', ...before.map(closed), quotedIn(last, how)].join(' '),
        last,
      ])
      const inserted = printed('bash', ['-c', run, 'bash', ...argv], env, home)
      expect(receivedCalls()).toEqual(expectedCalls(lines))
      // The single value replaces the end of the line, from the last place where bash begins a word.
      expect(parts(inserted, '\u0001').map((values) => parts(values, '\0').length)).toEqual(
        lines.map(() => 1),
      )
    })
    fc.assert(property, { numRuns: 3 })
  })
})

describe('zsh', () => {
  beforeEach(({ skip }) => skip(!isThere('zsh'), 'zsh is not installed'))

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedCalls } = fakeHome()
    const run = `compadd() { :; }; compdef() { :; }; typeset -A compstate; source '${scripts}/_tt'
while (($#)); do
  compstate[quote]=$1; PREFIX=$2; count=$3; shift 3
  words=("\${(@)argv[1,count]}"); CURRENT=$count; shift $count
  _tt
done`
    const property = fc.property(batchOf(line, 40), (lines) => {
      const argv = lines.flatMap(({ before, last, how }) => {
        const raw = quotedIn(last, how)
        const [quote, prefix] = how === 'bare' ? ['', raw] : [raw.slice(0, 1), raw.slice(1)]
        const words = ['tt', ...before.map(closed), raw]
        return [quote, prefix, String(words.length), ...words]
      })
      spawnSync('zsh', ['-f', '-c', run, 'zsh', ...argv], { env, cwd: home })
      expect(receivedCalls()).toEqual(expectedCalls(lines))
    })
    fc.assert(property, { numRuns: 3 })
  })
})

describe('fish', () => {
  beforeEach(({ skip }) => skip(!isThere('fish'), 'fish is not installed'))

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedCalls } = fakeHome()
    const run = `function commandline
  if test $argv[1] = -ct; printf '%s' $raw; else; printf '%s\\n' tt $before; end
end
source '${scripts}/tt.fish'
while set -q argv[1]
  set raw $argv[1]; set count $argv[2]; set before; set argv $argv[3..]
  while test $count -gt 0
    set -a before $argv[1]; set argv $argv[2..]; set count (math $count - 1)
  end
  __tt_complete
end`
    const property = fc.property(batchOf(line, 10), (lines) => {
      const typed = lines.flatMap(({ before, last }) =>
        [fishQuoted(last, ''), `'${fishQuoted(last, "'")}`, `"${fishQuoted(last, '"')}`].map((raw) => ({
          argv: [raw, String(before.length), ...before],
          line: { before, last },
        })),
      )
      spawnSync('fish', ['--no-config', '-c', run, ...typed.flatMap(({ argv }) => argv)], { env, cwd: home })
      expect(receivedCalls()).toEqual(expectedCalls(typed.map(({ line }) => line)))
    })
    fc.assert(property, { numRuns: 3 })
  })
})

const style = fc.constantFrom('bare' as const, 'double' as const, 'single' as const)

/** The words of a line, and how the last one is quoted. */
const line = fc.record({ before: fc.array(word, { maxLength: 3 }), last: word, how: style })

/** Returns the word as a user types it: with backslashes, or in quotes that are not closed yet. */
function quotedIn(text: string, how: 'bare' | 'double' | 'single'): string {
  if (how === 'single') return `'${text.replaceAll("'", "'\\''")}`
  if (how === 'double') return `"${text.replace(/[\\$`"]/g, '\\$&')}`
  return [...text].map((char) => (/[\p{L}\p{N}]/u.test(char) ? char : `\\${char}`)).join('')
}

const closed = (text: string) => `${quotedIn(text, 'single')}'`

function fishQuoted(text: string, quote: string): string {
  const special = quote === '' ? /[^\p{L}\p{N}\p{M}]/gu : quote === '"' ? /[\\$"]/g : /[\\']/g
  return text.replace(special, (char) => (quote === '' && !/[ -~]/.test(char) ? char : `\\${char}`))
}

/** Returns what a shell prints, which must not print errors. */
function printed(shell: string, argv: string[], env: NodeJS.ProcessEnv, cwd: string): string {
  const { stdout, stderr } = spawnSync(shell, argv, { env, cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout
}
