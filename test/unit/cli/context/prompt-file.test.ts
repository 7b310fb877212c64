import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPromptFile } from '../../../../src/cli/context/prompt-file.js'
import { entryFromJson } from '../../../../src/entries/entry.js'
import { temporaryDirectory } from '../../../support/process.js'

const start = new Date('2024-05-01T09:30:00')

function promptPath(): string {
  return join(temporaryDirectory(), 'timer')
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

test('escapes control characters in names from a service', () => {
  const path = promptPath()
  openPromptFile(path, start)(running('Red\u001b[31m\nnext\u202e'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Red\\x1b[31m↵next\\u202e / Design since 09:30\n')
  expect(readdirSync(join(path, '..'))).toEqual(['timer'])
})

test('does not write to a predictable name of the temporary file', () => {
  const path = promptPath()
  const target = `${path}-target`
  writeFileSync(target, 'unrelated')
  symlinkSync(target, `${path}.${process.pid}`)
  openPromptFile(path, start)(running('Website'), undefined)
  expect(readFileSync(target, 'utf8')).toBe('unrelated')
  expect(readFileSync(path, 'utf8')).toBe('Website / Design since 09:30\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('replaces a symbolic link and leaves its target unchanged', () => {
  const path = promptPath()
  const target = `${path}-target`
  writeFileSync(target, 'Website / Design since 09:30\n')
  symlinkSync(target, path)
  openPromptFile(path, start)(running('App'), undefined)
  expect(readFileSync(target, 'utf8')).toBe('Website / Design since 09:30\n')
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('App / Design since 09:30\n')
})

test('removes a line that it cannot update', () => {
  // The name of the temporary file is too long for a file system.
  const path = `${promptPath()}${'x'.repeat(245)}`
  writeFileSync(path, 'Website / Design since 09:30\n')
  openPromptFile(path, start)(running('App'), running('Website'))
  expect(readdirSync(join(path, '..'))).toEqual([])
})
