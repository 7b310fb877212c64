import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteWord } from '../../../../src/lib/text/shell-quoting.js'

test.skipIf(process.platform === 'win32')(
  'a shell reads a quoted text as that text, in one word',
  { tags: 'slow' },
  () => {
    const character = fc.constantFrom("'", '"', '\\', '$', '`', ' ', '\n', '!', '*', '\u202e', 'ä', 'a')
    // Command substitution drops newlines at the end.
    const texts = fc.sample(fc.string({ unit: character, minLength: 1 }), 100).map((text) => `${text}.`)
    const script = texts.map((text) => `printf '%s\\0' ${quoteWord(text)}`).join('\n')
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(texts)
  },
)
