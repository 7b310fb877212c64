import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { OutputFile } from '../../../src/lib/output-file.js'
import { temporaryDirectory } from '../../support/process.js'

test('replaces the previous file with commit', () => {
  const path = join(temporaryDirectory(), 'file')
  for (const text of ['first', 'second é']) {
    const file = new OutputFile(path)
    for (const character of text) file.write(character)
    if (text === 'second é') expect(readFileSync(path, 'utf8')).toBe('first')
    file.commit()
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

test('follows the umask for a new file, and keeps the permissions of the previous one', () => {
  const path = join(temporaryDirectory(), 'file')
  for (const umask of [0o022, 0o077]) {
    const previous = process.umask(umask)
    onTestFinished(() => void process.umask(previous))
    new OutputFile(`${path}${umask}`).commit()
    process.umask(previous)
    expect(statSync(`${path}${umask}`).mode & 0o777).toBe(0o666 & ~umask)
  }
  writeFileSync(path, '')
  for (const mode of [0o640, 0o600]) {
    chmodSync(path, mode)
    new OutputFile(path).commit()
    expect(statSync(path).mode & 0o777).toBe(mode)
  }
})

test('refuses a symbolic link without target', () => {
  const path = join(temporaryDirectory(), 'link')
  symlinkSync('nowhere', path)
  expect(() => new OutputFile(path)).toThrow('a symbolic link whose target is missing')
  expect(readdirSync(join(path, '..'))).toEqual(['link'])
})

test('appends to a pipe', async () => {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = promisify(execFile)('cat', [path])
  const file = new OutputFile(path)
  file.write('text')
  file.commit()
  expect((await reader).stdout).toBe('text')
  expect(statSync(path).isFIFO()).toBe(true)
})

test('replaces the target of a link, not the link', () => {
  const directory = temporaryDirectory()
  const [target, link] = [join(directory, 'target'), join(directory, 'link')]
  writeFileSync(target, 'previous')
  symlinkSync('target', link)
  const file = new OutputFile(link)
  file.write('new')
  file.commit()
  expect(readFileSync(target, 'utf8')).toBe('new')
  expect(readdirSync(directory).sort()).toEqual(['link', 'target'])
})

test('writes to a device directly', () => {
  const file = new OutputFile('/dev/null')
  file.write('text')
  file.commit()
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
})

test('fails with the path where the file cannot be created', () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  expect(() => new OutputFile(join(path, 'inner'))).toThrow(`${path}/inner could not be written`)
})
