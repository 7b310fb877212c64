import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createPrompts } from '../../../src/ui/prompts.js'
import { plainStyle } from '../../../src/ui/view.js'
import { hostileTexts } from './special-texts.js'

test.each(Object.entries(hostileTexts))('a prompt shows %s as a visible escape', async (_, text) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ''
  output.on('data', (piece) => {
    shown += piece
  })
  const prompts = createPrompts(input, output, plainStyle)
  const isShown = new Promise<void>((resolve) => output.on('data', () => shown.includes('?') && resolve()))
  const confirmation = prompts.confirm(`Delete ${text}?`)
  await isShown
  input.write('n\r')
  expect(await confirmation).toBe(false)
  expect(shown).not.toContain(text)
  expect(shown).toMatch(/Delete (a|safe)(\\x|\\u|↵)/)
})
