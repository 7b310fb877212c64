import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { replacePrivateFile } from '../../../src/lib/private-file.js'
import { temporaryDirectory } from '../../support/process.js'

test('replaces a symlink and leaves its target unchanged', () => {
  const directory = temporaryDirectory()
  const [target, path] = [join(directory, 'target'), join(directory, 'secret')]
  writeFileSync(target, 'unchanged')
  symlinkSync(target, path)
  replacePrivateFile(path, 'new', true)
  expect([readFileSync(target, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['unchanged', 'new'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).toHaveLength(2)
})

test('never writes through a symlink in place of the temporary file', () => {
  const directory = temporaryDirectory()
  const [target, path] = [join(directory, 'target'), join(directory, 'secret')]
  writeFileSync(target, 'unchanged')
  // Makes the name of the temporary file predictable.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  onTestFinished(() => random.mockRestore())
  const temporary = `${path}.${(0.5).toString(36).slice(2).repeat(2)}.tmp`
  symlinkSync(target, temporary)
  expect(() => replacePrivateFile(path, 'new', true)).toThrow('EEXIST')
  expect(readFileSync(target, 'utf8')).toBe('unchanged')
  random.mockRestore()
  symlinkSync(target, temporary)
  replacePrivateFile(path, 'new', true)
  expect([readFileSync(target, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['unchanged', 'new'])
})
