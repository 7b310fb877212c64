import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLogo } from '../../../../src/report/invoice/logo.js'
import { temporaryDirectory } from '../../../support/process.js'
import { usageErrorOf } from '../../../support/usage-error.js'

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${content}</svg>`
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

function write(content: string | Buffer): string {
  const file = join(temporaryDirectory(), 'logo')
  writeFileSync(file, content)
  return file
}

test.each<[what: string, content: string | Buffer, type: string]>([
  ['a PNG file', png, 'data:image/png;base64,'],
  [
    'an SVG file with references inside',
    svg('<use href="#a"/><image href="data:image/png;base64,AA"/>'),
    'data:image/svg+xml;base64,',
  ],
])('%s is embedded', (_, content, type) => {
  const url = readLogo(write(content))
  expect(url.startsWith(type)).toBe(true)
  expect(Buffer.from(url.slice(type.length), 'base64')).toEqual(Buffer.from(content))
})

test.each<[what: string, content: string | Buffer]>([
  ['a JPEG file', Buffer.from('ffd8ffe000104a464946', 'hex')],
  ['an SVG file with a script', svg('<script>alert(1)</script>')],
  ['an SVG file with an event', svg('<rect onload = "alert(1)"/>')],
  ['an SVG file with a script address', svg('<a href="javascript:alert(1)"/>')],
  ['an SVG file that loads another file', svg('<image href="https://example.com/a.png"/>')],
  ['an SVG file with HTML', svg('<foreignObject/>')],
  ['a file of more than 512 KiB', Buffer.concat([png, Buffer.alloc(600_000)])],
])('%s is rejected', (_, content) => {
  const path = write(content)
  expect(usageErrorOf(() => readLogo(path)).message).toContain(`The logo ${path}`)
})

test('a missing file and a directory are rejected', () => {
  const directory = join(temporaryDirectory(), 'logo')
  usageErrorOf(() => readLogo(directory))
  mkdirSync(directory)
  usageErrorOf(() => readLogo(directory))
})
