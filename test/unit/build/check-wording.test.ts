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

test('the script fails on a line with a marker word, except in node_modules and files of other types', {
  tags: 'slow',
}, () => {
  const cwd = createSource({
    ...{ 'clear.ts': `// ${word}en\n`, 'node_modules/x.ts': `${word}\n`, 'x.txt': `${word}\n` },
    'deep/unclear.md': `Clear.\nIt was ${word}.\n`,
  })
  expect(spawnSync(process.execPath, [script, 'src'], { cwd, encoding: 'utf8' })).toMatchObject({
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

test('an allowed line passes only in its file, and is reported if a checked file lacks it or is gone', () => {
  const line = `SELECT * FROM ${word}`
  const directory = createSource({ 'cache.ts': line, 'other.ts': line })
  const findings = [`src/other.ts:1: ${line}`]
  expect(checkWording(directory, ['src'], allowed)).toEqual({ findings, unused: [] })
  writeFileSync(join(directory, 'src/cache.ts'), 'SELECT * FROM seen')
  expect(checkWording(directory, undefined, allowed)).toEqual({ findings, unused: allowed })
  expect(checkWording(directory, ['src/other.ts'], allowed)).toEqual({ findings, unused: [] })
  expect(checkWording(createSource({ 'clear.ts': '' }), undefined, allowed).unused).toEqual(allowed)
})
