// Lists the lines that contain a marker word: a word that usually marks an unclear sentence. Fails on any line that is
// not allowed below, and on entries below that allow no line. Usage: node src/build/check-wording.mjs [PATH…]
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const markerWords = [
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

const table = 'the name of a table, which does not change'

/**
 * @typedef {[file: string, part: string, reason: string]} AllowedLine the file, a part of the line, and the reason
 * @type {readonly AllowedLine[]}
 */
export const allowedLines = [
  ['src/backup/salvage.ts', "<> 'asked'", table],
  ['src/outbox/cache/cache.ts', 'tables `seen` and `asked`', table],
  ['src/outbox/cache/cache.ts', 'FROM asked', table],
  ['src/outbox/cache/cache.ts', 'asked.kind', table],
  ['src/outbox/cache/fetched-ranges.ts', 'table `asked`', table],
  ['src/outbox/cache/fetched-ranges.ts', 'FROM asked', table],
  ['src/outbox/cache/fetched-ranges.ts', 'UPDATE asked', table],
  ['src/outbox/cache/fetched-ranges.ts', 'INTO asked', table],
  ['src/outbox/cache/state-schema.ts', '// asked:', table],
  ['src/outbox/cache/state-schema.ts', 'TABLE asked', table],
  ['test/unit/outbox/cache/cache.test.ts', 'FROM asked', table],
  ['test/long/driver-errors.test.ts', 'snapshot|seen|asked', table],
]

const defaultPaths = ['src', 'bin', 'completions', 'test', 'docs', 'README.md']
const ownFile = 'src/build/check-wording.mjs'
/** Directories without source files. */
const skippedDirectories = new Set(['node_modules', 'dist', 'coverage', '.git'])
const checkedExtension = /\.(ts|js|mjs|cjs|md|html|ps1|bash|zsh|fish)$/
// Matches a marker word also within an identifier, such as `isAsked`.
const pattern = new RegExp(
  markerWords
    .flatMap((word) => [
      `(?<![A-Za-z])${anyCase(word)}(?![a-z])`,
      `(?<=[a-z])${word.charAt(0).toUpperCase()}${word.slice(1)}(?![a-z])`,
    ])
    .join('|'),
)

/**
 * Finds lines with marker words below a directory. Needs no git repository.
 *
 * @param {string} root the directory to which paths are relative
 * @param {readonly string[] | undefined} paths files and directories; undefined for all that exist of the default ones
 * @param {readonly AllowedLine[]} allowed
 * @returns {{ findings: string[], unused: AllowedLine[] }} descriptions of the lines that are not allowed, and the
 *   entries of `allowed` that allow no line; with `paths`, only entries of the checked files
 */
export function checkWording(root, paths = undefined, allowed = allowedLines) {
  /** @type {string[]} */
  const findings = []
  /** @type {Set<AllowedLine>} */
  const used = new Set()
  const checkedPaths = paths ?? defaultPaths.filter((path) => existsSync(join(root, path)))
  const files = checkedPaths.flatMap((path) => listFiles(root, join(root, path)))
  for (const file of files) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    for (const [index, line] of lines.entries()) {
      if (!pattern.test(line)) continue
      const entries = allowed.filter(([path, part]) => path === file && line.includes(part))
      for (const entry of entries) used.add(entry)
      if (entries.length === 0) findings.push(`${file}:${index + 1}: ${line.trim().slice(0, 140)}`)
    }
  }
  const unused = allowed.filter((entry) => !used.has(entry) && (!paths || files.includes(entry[0])))
  return { findings, unused }
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]} paths of the files to check, relative to the root
 */
function listFiles(root, path) {
  if (statSync(path).isDirectory()) {
    return readdirSync(path)
      .filter((name) => !skippedDirectories.has(name))
      .sort()
      .flatMap((name) => listFiles(root, join(path, name)))
  }
  const file = relative(root, path).replaceAll('\\', '/')
  return checkedExtension.test(file) && file !== ownFile ? [file] : []
}

/** @param {string} word */
function anyCase(word) {
  const [first = '', ...rest] = word
  return `[${first}${first.toUpperCase()}]${rest.join('')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = process.argv.slice(2)
  const { findings, unused } = checkWording(process.cwd(), paths.length > 0 ? paths : undefined)
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  for (const [file, part] of unused)
    process.stdout.write(`${ownFile}: allows "${part}" in ${file}, which has no such line\n`)
  process.stdout.write(
    `${findings.length} ${findings.length === 1 ? 'line has' : 'lines have'} marker words\n`,
  )
  process.exitCode = findings.length + unused.length > 0 ? 1 : 0
}
