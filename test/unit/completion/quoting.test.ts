import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const scripts = fileURLToPath(new URL('../../../completions', import.meta.url))
const isThere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

/** Words with all that means something to a shell. */
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

/** A directory with a `tt` that writes down the words it was given, and offers the value in `offer`. */
function fakeHome(): { home: string; env: NodeJS.ProcessEnv; given(): string[]; offer(value: string): void } {
  const home = mkdtempSync(join(tmpdir(), 'tt-quoting-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'tt'), `#!/bin/sh\nprintf '%s\\0' "$@" > '${home}/given'\ncat '${home}/offer'\n`)
  chmodSync(join(home, 'tt'), 0o755)
  writeFileSync(join(home, 'offer'), '')
  return {
    home,
    env: { PATH: `${home}:${process.env.PATH}`, HOME: home, LC_ALL: 'C.UTF-8' },
    given: () => readFileSync(join(home, 'given'), 'utf8').split('\0').slice(0, -1),
    offer: (value) => writeFileSync(join(home, 'offer'), `${value}\tx\n`),
  }
}

describe('bash', () => {
  beforeEach(({ skip }) => skip(!isThere('bash'), 'bash is not installed'))

  const source = `complete() { :; }; compopt() { :; }; source '${scripts}/tt.bash'`

  test('takes what is inserted as the word that was offered, in every kind of quotes', () => {
    const { home, env } = fakeHome()
    const quote = fc.constantFrom('', '"', "'")
    fc.assert(
      fc.property(fc.array(fc.tuple(word, quote), { minLength: 1, maxLength: 20 }), (all) => {
        const quoting = `${source}; while (($#)); do COMPREPLY=(); _tt_quote "$1" "$2"; printf '%s\\0' "$COMPREPLY"; shift 2; done`
        const quoted = outputOf('bash', ['-c', quoting, 'bash', ...all.flat()], env, home)
        const typed = quoted.map((text, index) => {
          const open = all[index]?.[1] ?? ''
          // As bash does it: a quote at either end stands for that of the line.
          return `${text.startsWith(open) ? '' : open}${text}${text.endsWith(open) ? '' : open}`
        })
        const taken = outputOf('bash', ['-c', `printf '%s\\0' ${typed.join(' ')}`], env, home)
        expect(taken).toEqual(all.map(([text]) => text))
      }),
      { numRuns: 40 },
    )
  })

  test('hands on the words of the line, the last one with its quote still open', () => {
    const { home, env, given, offer } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, style, (before, last, how) => {
      const line = ['tt', ...before.map(closed), quotedIn(last, how)].join(' ')
      offer(last)
      const run = `${source}; COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'; COMP_LINE=$1; COMP_POINT=\${#1}; _tt; printf '%s\\0' "\${COMPREPLY[@]}"`
      const inserted = outputOf('bash', ['-c', run, 'bash', line], env, home)
      expect(given()).toEqual(['__complete', '--', ...before, last])
      // One value: what is inserted belongs to the end of the line, from the last place where bash begins a word.
      expect(inserted).toHaveLength(1)
    })
    fc.assert(property, { numRuns: 60 })
  })
})

describe('zsh', () => {
  beforeEach(({ skip }) => skip(!isThere('zsh'), 'zsh is not installed'))

  test('hands on the words of the line, the last one with its quote still open', () => {
    const { home, env, given } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, style, (before, last, how) => {
      const raw = quotedIn(last, how)
      const [quote, prefix] = how === 'bare' ? ['', raw] : [raw.slice(0, 1), raw.slice(1)]
      const run = `compadd() { :; }; compdef() { :; }; typeset -A compstate; source '${scripts}/_tt'
compstate[quote]=$1; PREFIX=$2; shift 2; words=("$@"); CURRENT=$#words; _tt`
      spawnSync('zsh', ['-f', '-c', run, 'zsh', quote, prefix, 'tt', ...before.map(closed), raw], {
        env,
        cwd: home,
      })
      expect(given()).toEqual(['__complete', '--', ...before, last])
    })
    fc.assert(property, { numRuns: 60 })
  })
})

describe('fish', () => {
  beforeEach(({ skip }) => skip(!isThere('fish'), 'fish is not installed'))

  test('hands on the words of the line, the last one with its quote still open', () => {
    const { home, env, given } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, (before, last) => {
      const run = `function commandline
  if test $argv[1] = -ct; printf '%s' $raw; else; printf '%s\\n' tt $before; end
end
source '${scripts}/tt.fish'; set raw $argv[1]; set before $argv[2..]; __tt_complete`
      for (const raw of [fishQuoted(last, ''), `'${fishQuoted(last, "'")}`, `"${fishQuoted(last, '"')}`]) {
        spawnSync('fish', ['--no-config', '-c', run, raw, ...before], { env, cwd: home })
        expect(given()).toEqual(['__complete', '--', ...before, last])
      }
    })
    fc.assert(property, { numRuns: 15 })
  })
})

const style = fc.constantFrom('bare' as const, 'double' as const, 'single' as const)

/** As somebody types it: with a backslash before everything, or in quotes that are not closed yet. */
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

function outputOf(shell: string, argv: string[], env: NodeJS.ProcessEnv, cwd: string): string[] {
  const { stdout, stderr } = spawnSync(shell, argv, { env, cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\0').slice(0, -1)
}
