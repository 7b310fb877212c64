import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPromptFile } from '../../../../src/cli/context/prompt-file.js'
import { textHash } from '../../../../src/lib/text/text-hash.js'
import { entryFromJson } from '../../../../src/tracking/entries/entry.js'
import { temporaryDirectory } from '../../../support/process.js'

const start = new Date('2024-05-01T09:30:00')

function promptPath(): string {
  return join(temporaryDirectory(), 'timer')
}

/** Returns the function that updates the file; what it has written is recorded outside the directory of the file. */
function promptFile(file: string) {
  return openPromptFile({ file, record: promptPath() }, start)
}

const task = { project_id: 1, task_id: 1, task: 'Design' }
const running = (project: string) =>
  entryFromJson({ ...task, id: 1, time_start: start.toISOString(), time_end: null, project })

test('escapes control characters in names from a service', () => {
  const path = promptPath()
  promptFile(path)(running('Red\u001b[31m\nnext\u202e'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Red\\x1b[31m↵next\\u202e / Design since 09:30\n')
  expect(readdirSync(join(path, '..'))).toEqual(['timer'])
})

test('does not write to a predictable name of the temporary file', () => {
  const path = promptPath()
  const target = `${path}-target`
  writeFileSync(target, 'unrelated')
  symlinkSync(target, `${path}.${process.pid}`)
  promptFile(path)(running('Website'), undefined)
  expect(readFileSync(target, 'utf8')).toBe('unrelated')
  expect(readFileSync(path, 'utf8')).toBe('Website / Design since 09:30\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

const foreignFiles: [string, (path: string) => void][] = [
  ['a file of the user', (path) => writeFileSync(path, 'notes')],
  ['an empty file', (path) => writeFileSync(path, '')],
  ['a file above 64 KiB', (path) => writeFileSync(path, 'x'.repeat(65 * 1024))],
  ['a file with the line of another timer', (path) => writeFileSync(path, 'Website / Design since 08:00\n')],
  ['a symbolic link', (path) => symlinkSync(`${path}-target`, path)],
  ['a FIFO', (path) => execFileSync('mkfifo', [path])],
]

test.each(foreignFiles)('neither writes nor removes %s', (_, create) => {
  const path = promptPath()
  writeFileSync(`${path}-target`, 'Website / Design since 09:30\n')
  create(path)
  const content = () => (lstatSync(path).isFIFO() ? 'FIFO' : readFileSync(path, 'utf8'))
  const before = content()
  const show = promptFile(path)
  show(running('Website'), undefined)
  show(running('App'), running('Website'))
  show(undefined, running('Website'))
  expect(content()).toBe(before)
  expect(readdirSync(join(path, '..')).sort()).toEqual(['timer', 'timer-target'])
})

test('does not touch a line that the user has changed', () => {
  const path = promptPath()
  const show = promptFile(path)
  show(running('Website'), undefined)
  writeFileSync(path, 'Website / Design since 09:30, and a note\n')
  show(undefined, running('Website'))
  show(running('App'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Website / Design since 09:30, and a note\n')
})

test('keeps the line of the timer of another profile', () => {
  const path = promptPath()
  const show = promptFile(path)
  show(running('App'), undefined)
  show(undefined, running('Website'))
  expect(readFileSync(path, 'utf8')).toBe('App / Design since 09:30\n')
  show(undefined, running('App'))
  expect(readdirSync(join(path, '..'))).toEqual([])
})

test('recognises its line after any number of timers, and after a failed update', () => {
  const path = promptPath()
  const paths = { file: path, record: promptPath() }
  for (let number = 0; number < 200; number++) {
    openPromptFile(paths, start)(running(`Website ${number}`), undefined)
    expect(readFileSync(path, 'utf8')).toBe(`Website ${number} / Design since 09:30\n`)
  }
  expect(statSync(paths.record).size).toBeLessThan(2048)
  const line = readFileSync(path, 'utf8')
  openPromptFile(paths, start)(running('App'), undefined)
  writeFileSync(path, line) // A process that ended between the record and the line.
  openPromptFile(paths, start)(running('Last'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Last / Design since 09:30\n')
})

test('removes its line when it cannot update it', () => {
  // The name of the temporary file is too long for a file system.
  const path = `${promptPath()}${'x'.repeat(245)}`
  const line = 'Website / Design since 09:30\n'
  const record = promptPath()
  writeFileSync(path, line)
  writeFileSync(record, `${textHash(line)}\n`)
  openPromptFile({ file: path, record }, start)(running('App'), running('Website'))
  expect(readdirSync(join(path, '..'))).toEqual([])
})
