import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/process.js'

const scripts = fileURLToPath(new URL('../../../completions', import.meta.url))
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

/** Creates a directory with a `tt` that records its arguments and prints the value in `offer`. */
function fakeHome(): {
  home: string
  env: NodeJS.ProcessEnv
  receivedArguments(): string[]
  offer(value: string): void
} {
  const home = temporaryDirectory()
  writeFileSync(
    join(home, 'tt'),
    `#!/bin/sh\nprintf '%s\\0' "$@" > '${home}/arguments'\ncat '${home}/offer'\n`,
  )
  chmodSync(join(home, 'tt'), 0o755)
  writeFileSync(join(home, 'offer'), '')
  return {
    home,
    env: { PATH: `${home}:${process.env.PATH}`, HOME: home, LC_ALL: 'C.UTF-8' },
    receivedArguments: () => readFileSync(join(home, 'arguments'), 'utf8').split('\0').slice(0, -1),
    offer: (value) => writeFileSync(join(home, 'offer'), `${value}\tx\n`),
  }
}

describe('bash', () => {
  beforeEach(({ skip }) => skip(!isThere('bash'), 'bash is not installed'))

  const source = `complete() { :; }; compopt() { :; }; source '${scripts}/tt.bash'`

  test('reads the inserted text as the offered value in every quoting style', () => {
    const { home, env } = fakeHome()
    const quote = fc.constantFrom('', '"', "'")
    fc.assert(
      fc.property(fc.array(fc.tuple(word, quote), { minLength: 1, maxLength: 20 }), (all) => {
        const quoting = `${source}; while (($#)); do COMPREPLY=(); _tt_quote "$1" "$2"; printf '%s\\0' "$COMPREPLY"; shift 2; done`
        const quoted = outputOf('bash', ['-c', quoting, 'bash', ...all.flat()], env, home)
        const typed = quoted.map((text, index) => {
          const open = all[index]?.[1] ?? ''
          // As in bash, a quote at either end stands for that of the line.
          return `${text.startsWith(open) ? '' : open}${text}${text.endsWith(open) ? '' : open}`
        })
        const read = outputOf('bash', ['-c', `printf '%s\\0' ${typed.join(' ')}`], env, home)
        expect(read).toEqual(all.map(([text]) => text))
      }),
      { numRuns: 40 },
    )
  })

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedArguments, offer } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, style, (before, last, how) => {
      const line = ['tt', ...before.map(closed), quotedIn(last, how)].join(' ')
      offer(last)
      const run = `${source}; COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'; COMP_LINE=$1; COMP_POINT=\${#1}; _tt; printf '%s\\0' "\${COMPREPLY[@]}"`
      const inserted = outputOf('bash', ['-c', run, 'bash', line], env, home)
      expect(receivedArguments()).toEqual(['__complete', '--', ...before, last])
      // The single value replaces the end of the line, from the last place where bash begins a word.
      expect(inserted).toHaveLength(1)
    })
    fc.assert(property, { numRuns: 60 })
  })
})

describe('zsh', () => {
  beforeEach(({ skip }) => skip(!isThere('zsh'), 'zsh is not installed'))

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedArguments } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, style, (before, last, how) => {
      const raw = quotedIn(last, how)
      const [quote, prefix] = how === 'bare' ? ['', raw] : [raw.slice(0, 1), raw.slice(1)]
      const run = `compadd() { :; }; compdef() { :; }; typeset -A compstate; source '${scripts}/_tt'
compstate[quote]=$1; PREFIX=$2; shift 2; words=("$@"); CURRENT=$#words; _tt`
      spawnSync('zsh', ['-f', '-c', run, 'zsh', quote, prefix, 'tt', ...before.map(closed), raw], {
        env,
        cwd: home,
      })
      expect(receivedArguments()).toEqual(['__complete', '--', ...before, last])
    })
    fc.assert(property, { numRuns: 60 })
  })
})

describe('fish', () => {
  beforeEach(({ skip }) => skip(!isThere('fish'), 'fish is not installed'))

  test('passes on the words of the line, the last one with an open quote', () => {
    const { home, env, receivedArguments } = fakeHome()
    const property = fc.property(fc.array(word, { maxLength: 3 }), word, (before, last) => {
      const run = `function commandline
  if test $argv[1] = -ct; printf '%s' $raw; else; printf '%s\\n' tt $before; end
end
source '${scripts}/tt.fish'; set raw $argv[1]; set before $argv[2..]; __tt_complete`
      for (const raw of [fishQuoted(last, ''), `'${fishQuoted(last, "'")}`, `"${fishQuoted(last, '"')}`]) {
        spawnSync('fish', ['--no-config', '-c', run, raw, ...before], { env, cwd: home })
        expect(receivedArguments()).toEqual(['__complete', '--', ...before, last])
      }
    })
    fc.assert(property, { numRuns: 15 })
  })
})

const style = fc.constantFrom('bare' as const, 'double' as const, 'single' as const)

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

function outputOf(shell: string, argv: string[], env: NodeJS.ProcessEnv, cwd: string): string[] {
  const { stdout, stderr } = spawnSync(shell, argv, { env, cwd, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\0').slice(0, -1)
}
