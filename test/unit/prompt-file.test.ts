import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { promptFile } from '../../src/prompt-file.js'
import { entryFromJson } from '../../src/tracking/entries.js'

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
  promptFile(path, start)(running('Red\u001b[31m\nnext\u202e'), undefined)
  expect(readFileSync(path, 'utf8')).toBe('Red\\x1b[31m↵next\\u202e / Design since 09:30\n')
  expect(readdirSync(join(path, '..'))).toEqual(['timer'])
})

test('a line that cannot be put right is removed', () => {
  const path = place()
  const show = promptFile(path, start)
  show(running('Website'), undefined)
  mkdirSync(`${path}.${process.pid}`)
  show(running('App'), running('Website'))
  expect(existsSync(path)).toBe(false)
})
