import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FdStream } from '../../../src/cli/fd-stream.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tt-descriptor-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const never = () => {
  throw new Error('The stream was made.')
}

/** A descriptor of a file, under any number, and what was written there. */
function file(flags: string, make: () => NodeJS.WriteStream) {
  const path = join(directory, 'out')
  const number = openSync(path, flags)
  return {
    descriptor: new FdStream(number, make),
    written() {
      closeSync(number)
      return readFileSync(path, 'utf8')
    },
  }
}

test('short texts go to the descriptor, in order, without a stream', () => {
  const { descriptor, written } = file('w', never)
  descriptor.write('first, ')
  descriptor.write('zweitens: ä\n')
  expect(descriptor.isTTY).toBe(false)
  expect(descriptor.columns).toBeUndefined()
  expect(written()).toBe('first, zweitens: ä\n')
})

test.skipIf(process.platform === 'win32')('what is thrown away needs no stream', () => {
  const number = openSync('/dev/null', 'w')
  const descriptor = new FdStream(number, never)
  descriptor.write('nobody reads this\n')
  expect(descriptor.isTTY).toBe(false)
  closeSync(number)
})

test('what a pipe may not hold goes through the stream, and everything after it', async () => {
  const stream = new PassThrough()
  const { descriptor, written } = file('w', () => stream as unknown as NodeJS.WriteStream)
  descriptor.write('short\n')
  descriptor.write('x'.repeat(9000))
  descriptor.write('after\n')
  stream.end()
  expect(await text(stream)).toBe(`${'x'.repeat(9000)}after\n`)
  expect(written()).toBe('short\n')
})

test('many short texts end in the stream as well', () => {
  const stream = new PassThrough()
  const { descriptor, written } = file('w', () => stream as unknown as NodeJS.WriteStream)
  for (let line = 0; line < 100; line++) descriptor.write('x'.repeat(100))
  expect(written().length + stream.readableLength).toBe(10_000)
  expect(stream.readableLength).toBeGreaterThan(0)
})

test('what cannot be written is told to whoever wrote', () => {
  const number = openSync('/dev/null', 'r')
  const errors: unknown[] = []
  new FdStream(number, never).write('text', (error) => errors.push(error))
  closeSync(number)
  expect(errors).toMatchObject([{ code: 'EBADF' }])
})
