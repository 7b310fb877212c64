import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PrivateFileWriter } from '../../../src/lib/private-file-writer.js'
import { temporaryDirectory } from '../../support/process.js'

test('replaces the previous file with commit, for its owner only', () => {
  const path = join(temporaryDirectory(), 'new', 'file')
  for (const text of ['first', 'second é']) {
    const file = new PrivateFileWriter(path)
    for (const character of text) file.write(character)
    if (text === 'second é') expect(readFileSync(path, 'utf8')).toBe('first')
    file.commit()
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

test('leaves the previous file unchanged with discard', () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'previous')
  const file = new PrivateFileWriter(path)
  file.write('new')
  file.discard()
  expect(readFileSync(path, 'utf8')).toBe('previous')
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

test('replaces the target of a link, not the link', () => {
  const directory = temporaryDirectory()
  const [target, link] = [join(directory, 'target'), join(directory, 'link')]
  writeFileSync(target, 'previous')
  symlinkSync('target', link)
  const file = new PrivateFileWriter(link)
  file.write('new')
  file.commit()
  expect(readFileSync(target, 'utf8')).toBe('new')
  expect(readdirSync(directory).sort()).toEqual(['link', 'target'])
})

test('writes to a device directly', () => {
  const file = new PrivateFileWriter('/dev/null')
  file.write('text')
  file.commit()
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
})

test('fails with the path where the file cannot be created', () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  expect(() => new PrivateFileWriter(join(path, 'inner'))).toThrow(`${path}/inner could not be written`)
})
