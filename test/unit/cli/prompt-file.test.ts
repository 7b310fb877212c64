import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPromptFile } from '../../../src/cli/prompt-file.js'
import { entryFromJson } from '../../../src/entries/entry.js'

const start = new Date('2024-05-01T09:30:00')

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tt-prompt-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'timer')
}

const running = (project: string) =>
  entryFromJson({
    id: 1,
    time_start: start.toISOString(),
    time_end: null,
    project_id: 1,
    project,
    task_id: 1,
    task: 'Design',
  })

test('the line drives no terminal, whatever a service calls things', () => {
  const path = place()
  openPromptFile(path, start)(running('Red\u001b[31m\nnext\u202e'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Red\\x1b[31m↵next\\u202e / Design since 09:30\n')
  expect(readdirSync(join(path, '..'))).toEqual(['timer'])
})

test('the temporary file has no predictable name: nothing is written where one is expected', () => {
  const path = place()
  const elsewhere = `${path}-elsewhere`
  writeFileSync(elsewhere, 'theirs')
  symlinkSync(elsewhere, `${path}.${process.pid}`)
  openPromptFile(path, start)(running('Website'), undefined)
  expect(readFileSync(elsewhere, 'utf8')).toBe('theirs')
  expect(readFileSync(path, 'utf8')).toBe('Website / Design since 09:30\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a symlink in the place of the file is replaced, and its target stays', () => {
  const path = place()
  const elsewhere = `${path}-elsewhere`
  writeFileSync(elsewhere, 'Website / Design since 09:30\n')
  symlinkSync(elsewhere, path)
  openPromptFile(path, start)(running('App'), undefined)
  expect(readFileSync(elsewhere, 'utf8')).toBe('Website / Design since 09:30\n')
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('App / Design since 09:30\n')
})

test('a line that cannot be corrected is removed', () => {
  // The name of the temporary file beside it is longer than a file system takes.
  const path = `${place()}${'x'.repeat(245)}`
  writeFileSync(path, 'Website / Design since 09:30\n')
  openPromptFile(path, start)(running('App'), running('Website'))
  expect(readdirSync(join(path, '..'))).toEqual([])
})
