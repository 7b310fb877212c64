import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { FdStream } from '../../../../src/cli/output/stdout.js'
import { temporaryDirectory } from '../../../support/process.js'

const failingFactory = () => {
  throw new Error('The stream was created.')
}

/** Opens an FdStream of a temporary file; `written` returns the text in the file. */
function file(createStream: () => NodeJS.WriteStream) {
  const path = join(temporaryDirectory(), 'out')
  const number = openSync(path, 'w')
  return {
    descriptor: new FdStream(number, createStream),
    written() {
      closeSync(number)
      return readFileSync(path, 'utf8')
    },
  }
}

test('writes short texts to the descriptor in order, without a stream', () => {
  const { descriptor, written } = file(failingFactory)
  descriptor.write('first, ')
  descriptor.write('zweitens: ä\n')
  expect(descriptor.isTTY).toBe(false)
  expect(descriptor.columns).toBeUndefined()
  expect(written()).toBe('first, zweitens: ä\n')
})

test.skipIf(process.platform === 'win32')('writes to /dev/null without a stream', () => {
  const number = openSync('/dev/null', 'w')
  const descriptor = new FdStream(number, failingFactory)
  descriptor.write('discarded\n')
  expect(descriptor.isTTY).toBe(false)
  closeSync(number)
})

test('writes long texts and everything after them through the stream', async () => {
  const stream = new PassThrough()
  const { descriptor, written } = file(() => stream as unknown as NodeJS.WriteStream)
  descriptor.write('short\n')
  descriptor.write('x'.repeat(9000))
  descriptor.write('after\n')
  stream.end()
  expect(await text(stream)).toBe(`${'x'.repeat(9000)}after\n`)
  expect(written()).toBe('short\n')
})

test('writes many short texts through the stream too', () => {
  const stream = new PassThrough()
  const { descriptor, written } = file(() => stream as unknown as NodeJS.WriteStream)
  for (let line = 0; line < 100; line++) descriptor.write('x'.repeat(100))
  expect(written().length + stream.readableLength).toBe(10_000)
  expect(stream.readableLength).toBeGreaterThan(0)
})

test('passes a write error to the callback', () => {
  const number = openSync('/dev/null', 'r')
  const errors: unknown[] = []
  new FdStream(number, failingFactory).write('text', (error) => errors.push(error))
  closeSync(number)
  expect(errors).toMatchObject([{ code: 'EBADF' }])
})
