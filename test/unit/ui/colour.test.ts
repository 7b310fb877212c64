import { describe, expect, test } from 'vitest'
import { type ColourOptions, inkFor } from '../../../src/ui/colour.js'

const cases: [rule: string, options: ColourOptions, coloured: boolean][] = [
  ['on a terminal there is colour', { env: {}, isTTY: true }, true],
  ['off a terminal there is none', { env: {}, isTTY: false }, false],
  ['--no-color turns it off', { color: false, env: { FORCE_COLOR: '1' }, isTTY: true }, false],
  ['without --no-color the rest decides', { color: true, env: {}, isTTY: false }, false],
  ['NO_COLOR turns it off', { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, isTTY: true }, false],
  ['an empty NO_COLOR says nothing', { env: { NO_COLOR: '' }, isTTY: true }, true],
  ['FORCE_COLOR turns it on in a pipe', { env: { FORCE_COLOR: '1' }, isTTY: false }, true],
  ['FORCE_COLOR=3 turns it on in a pipe', { env: { FORCE_COLOR: '3' }, isTTY: false }, true],
  ['FORCE_COLOR=0 turns it off', { env: { FORCE_COLOR: '0' }, isTTY: true }, false],
  ['FORCE_COLOR=false turns it off', { env: { FORCE_COLOR: 'false' }, isTTY: true }, false],
  ['an empty FORCE_COLOR says nothing', { env: { FORCE_COLOR: '' }, isTTY: false }, false],
  ['CLICOLOR=0 turns it off', { env: { CLICOLOR: '0' }, isTTY: true }, false],
  ['CLICOLOR=1 says nothing in a pipe', { env: { CLICOLOR: '1' }, isTTY: false }, false],
  ['CLICOLOR_FORCE turns it on in a pipe', { env: { CLICOLOR_FORCE: '1' }, isTTY: false }, true],
  ['CLICOLOR_FORCE=0 says nothing', { env: { CLICOLOR_FORCE: '0' }, isTTY: false }, false],
  ['a dumb terminal has none', { env: { TERM: 'dumb' }, isTTY: true }, false],
]

describe('Colour', () => {
  test.each(cases)('%s', async (_, options, coloured) => {
    const ink = await inkFor(options)
    expect(ink.red('x')).toBe(coloured ? '\u001b[31mx\u001b[39m' : 'x')
    expect(ink.bold('x')).toBe(coloured ? '\u001b[1mx\u001b[22m' : 'x')
  })
})
