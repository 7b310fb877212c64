// Lists the words that mark a sentence to rewrite, and fails on any that is not allowed below. Usage:
// node src/build/check-wording.mjs [PATH…]
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const places = ['src', 'bin', 'completions', 'test', 'docs', 'README.md']
const own = 'src/build/check-wording.mjs'
const words = [
  'told',
  'asked',
  'somebody',
  'nobody',
  'whoever',
  'meanwhile',
  'besides',
  'of which',
  'comes of',
]
// Also within an identifier: `#told`, `toldAside`, `isAsked`.
const pattern = new RegExp(
  words
    .flatMap((word) => [
      `(?<![A-Za-z])${anyCase(word)}(?![a-z])`,
      `(?<=[a-z])${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`,
    ])
    .join('|'),
)

const table = 'the name of a table, which does not change'

/**
 * Lines that may stay: file, a part of the line, and why.
 *
 * @type {[file: string, part: string, reason: string][]}
 */
const allowed = [
  ['src/cache/cache.ts', 'tables `seen` and `asked`', table],
  ['src/cache/cache.ts', 'FROM asked', table],
  ['src/cache/cache.ts', 'asked.kind', table],
  ['src/cache/fetched-ranges.ts', 'table `asked`', table],
  ['src/cache/fetched-ranges.ts', 'FROM asked', table],
  ['src/cache/fetched-ranges.ts', 'UPDATE asked', table],
  ['src/cache/fetched-ranges.ts', 'INTO asked', table],
  ['src/cache/state-schema.ts', '// asked:', table],
  ['src/cache/state-schema.ts', 'TABLE asked', table],
  ['test/unit/cache/cache.test.ts', 'FROM asked', table],
]

const paths = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', ...(paths.length > 0 ? paths : places)], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|js|mjs|cjs|md|html|ps1|bash|zsh|fish)$/.test(file) && file !== own)

let found = 0
for (const file of files) {
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      if (!pattern.test(line) || allowed.some(([path, part]) => file === path && line.includes(part))) return
      found++
      process.stdout.write(`${file}:${index + 1}: ${line.trim().slice(0, 140)}\n`)
    })
}
process.stdout.write(`${found} ${found === 1 ? 'line has' : 'lines have'} marker words\n`)
process.exitCode = found > 0 ? 1 : 0

/** @param {string} word */
function anyCase(word) {
  const [first = '', ...rest] = word
  return `[${first}${first.toUpperCase()}]${rest.join('')}`
}
