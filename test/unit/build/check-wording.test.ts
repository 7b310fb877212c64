import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AllowedLine, checkWording, markerWords } from '../../../src/build/check-wording.mjs'
import { root, temporaryDirectory } from '../../support/process.js'

const script = join(root, 'src/build/check-wording.mjs')
const [word = ''] = markerWords
const allowed: AllowedLine[] = [['src/cache.ts', `FROM ${word}`, 'the name of a table']]

/** Creates a directory with these files in `src`. */
function createSource(files: Record<string, string>): string {
  const directory = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, 'src', name, '..'), { recursive: true })
    writeFileSync(join(directory, 'src', name), text)
  }
  return directory
}

/** Runs the script in a directory, which is not a git repository. */
const runScript = (cwd: string) => spawnSync(process.execPath, [script, 'src'], { cwd, encoding: 'utf8' })

test('the script fails on a line with a marker word', { tags: 'slow' }, () => {
  const cwd = createSource({
    'clear.ts': '// Stops the timer.\n',
    'deep/unclear.md': `Clear.\nIt was ${word}.\n`,
  })
  const { status, stdout } = runScript(cwd)
  expect({ status, stdout }).toEqual({
    status: 1,
    stdout: `src/deep/unclear.md:2: It was ${word}.\n1 line has marker words\n`,
  })
})

test.each(markerWords)('finds the marker word "%s"', (marker) => {
  const directory = createSource({ 'file.md': `The line ${marker} it\n` })
  expect(checkWording(directory, ['src'], []).findings).toEqual([`src/file.md:1: The line ${marker} it`])
})

test.each(['is', '#'])('finds a marker word in an identifier after "%s"', (prefix) => {
  const marker = prefix === 'is' ? word.charAt(0).toUpperCase() + word.slice(1) : word
  const directory = createSource({ 'file.ts': `const x = ${prefix}${marker}\n` })
  expect(checkWording(directory, ['src'], []).findings).toHaveLength(1)
})

test('the script passes on files without marker words, in node_modules and of other types', {
  tags: 'slow',
}, () => {
  const unclear = `${word}\n`
  const cwd = createSource({ 'clear.ts': `// ${word}en\n`, 'node_modules/x.ts': unclear, 'x.txt': unclear })
  expect(runScript(cwd)).toMatchObject({ status: 0, stdout: '0 lines have marker words\n' })
})

test('an allowed line passes only in its file', () => {
  const line = `SELECT * FROM ${word}`
  const directory = createSource({ 'cache.ts': line, 'other.ts': line })
  expect(checkWording(directory, ['src'], allowed)).toEqual({
    findings: [`src/other.ts:1: ${line}`],
    unused: [],
  })
})

test.each([{ 'cache.ts': 'SELECT * FROM seen' }, {}])(
  'an allowed line that is missing in %j is reported',
  (files) => {
    const directory = createSource({ 'clear.ts': '', ...files })
    expect(checkWording(directory, undefined, allowed)).toEqual({ findings: [], unused: allowed })
  },
)

test('an allowed line of a file that is not checked is not reported', () => {
  const directory = createSource({ 'cache.ts': 'SELECT * FROM seen', 'clear.ts': '' })
  expect(checkWording(directory, ['src/clear.ts'], allowed)).toEqual({ findings: [], unused: [] })
})
