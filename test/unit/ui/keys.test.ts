import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Key, Keys } from '../../../src/ui/keys.js'

/** Returns the keys of bytes before and after the reader stops. */
function pressed(bytes: string, later = ''): Key[] {
  const input = new PassThrough()
  const keys: Key[] = []
  const reader = new Keys(
    input,
    (key) => keys.push(key),
    () => {},
  )
  reader.start()
  input.emit('data', bytes)
  reader.stop()
  input.emit('data', later)
  return keys
}

test('printable characters are text, and other keys have names', () => {
  expect(pressed('sü\u001b[A\r\u007f\u0003\u001a')).toEqual([
    ...[{ text: 's' }, { text: 'ü' }, { name: 'up' }, { name: 'return' }, { name: 'backspace' }],
    ...[{ name: 'ctrl-c' }, { name: 'ctrl-z' }],
  ])
})

test('a paste is one text and no keys', () => {
  expect(pressed('\u001b[200~xq\rs\u001b[201~q')).toEqual([{ pasted: 'xq\rs' }, { text: 'q' }])
})

test('reads no key after it has stopped', () => {
  expect(pressed('p', 'q')).toEqual([{ text: 'p' }])
})
