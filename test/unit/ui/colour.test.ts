import { describe, expect, test } from 'vitest'
import { type ColourOptions, createLinker, createStyle } from '../../../src/ui/colour.js'
import { displayWidth, escapeStyledText, shortenText } from '../../../src/ui/text.js'
import { contrast } from '../lib/text/contrast.js'

const cases: [rule: string, options: ColourOptions, coloured: boolean][] = [
  ['on a terminal there is colour', { env: {}, isTTY: true }, true],
  ['off a terminal there is none', { env: {}, isTTY: false }, false],
  ['--no-color turns it off', { color: false, env: { FORCE_COLOR: '1' }, isTTY: true }, false],
  ['without --no-color the rest decides', { color: true, env: {}, isTTY: false }, false],
  ['NO_COLOR turns it off', { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, isTTY: true }, false],
  ['an empty NO_COLOR says nothing', { env: { NO_COLOR: '' }, isTTY: true }, true],
  ['FORCE_COLOR turns it on in a pipe', { env: { FORCE_COLOR: '1' }, isTTY: false }, true],
  ['FORCE_COLOR=0 turns it off', { env: { FORCE_COLOR: '0' }, isTTY: true }, false],
  ['FORCE_COLOR=false turns it off', { env: { FORCE_COLOR: 'false' }, isTTY: true }, false],
  ['an empty FORCE_COLOR says nothing', { env: { FORCE_COLOR: '' }, isTTY: false }, false],
  ['CLICOLOR=0 turns it off', { env: { CLICOLOR: '0' }, isTTY: true }, false],
  ['CLICOLOR=1 says nothing in a pipe', { env: { CLICOLOR: '1' }, isTTY: false }, false],
  ['CLICOLOR_FORCE turns it on in a pipe', { env: { CLICOLOR_FORCE: '1' }, isTTY: false }, true],
  ['CLICOLOR_FORCE=0 says nothing', { env: { CLICOLOR_FORCE: '0' }, isTTY: false }, false],
  ['a dumb terminal has none', { env: { TERM: 'dumb' }, isTTY: true }, false],
]

describe('colour', () => {
  test.each(cases)('%s', async (_, options, coloured) => {
    const style = await createStyle(options)
    expect(style.red('x')).toBe(coloured ? '\u001b[31mx\u001b[39m' : 'x')
    expect(style.bold('x')).toBe(coloured ? '\u001b[1mx\u001b[22m' : 'x')
  })
})

describe('the colours of series', () => {
  const ESC = '\u001b'

  test.each([
    [
      'true colours when the terminal supports them',
      { COLORTERM: 'truecolor', TERM: 'xterm-256color' },
      '38;2;0;114;178',
    ],
    ['of 256 colours', { TERM: 'xterm-256color' }, '38;5;25'],
    ['of the basic 16 colours', { TERM: 'xterm' }, '34'],
    ['as FORCE_COLOR requests', { FORCE_COLOR: '2', COLORTERM: 'truecolor' }, '38;5;25'],
  ])('are %s', async (_, env, code) => {
    const style = await createStyle({ env, isTTY: true })
    expect(style.series?.paint('x', 0)).toBe(`${ESC}[${code}mx${ESC}[39m`)
  })

  test.each([
    ['1', 5],
    ['2', 8],
    ['3', 8],
  ])('at level %s are %i different ones, and then repeat', async (level, count) => {
    const { series } = await createStyle({ env: { FORCE_COLOR: level }, isTTY: true })
    const hasStyle = Array.from({ length: count }, (_, index) => series?.paint('x', index))
    expect(new Set(hasStyle).size).toBe(count)
    expect(series?.paint('x', count)).toBe(hasStyle[0])
  })
})

describe('yellow', () => {
  const leastContrast = (text: string) => {
    const channels = (/38;2;(\d+);(\d+);(\d+)m/.exec(text) ?? []).slice(1).map(Number)
    return Math.min(contrast(channels, [255, 255, 255]), contrast(channels, [0, 0, 0]))
  }

  test('has enough contrast to a light and to a dark terminal', async () => {
    const style = await createStyle({ env: { FORCE_COLOR: '3' }, isTTY: true })
    expect(leastContrast(style.yellow('pending'))).toBeGreaterThan(4.5)
    expect(leastContrast(style.series?.paint('bar', 3) ?? '')).toBeGreaterThan(3)
  })

  test('is no basic colour, which is bright in most terminals', async () => {
    const style = await createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
    expect(style.yellow('pending')).toBe('\u001b[35mpending\u001b[39m')
    const series = [0, 1, 2, 3, 4].map((index) => style.series?.paint('x', index))
    expect(series.join('')).not.toMatch(/\[3[37]m/)
  })
})

const kitty = { TERM: 'xterm-kitty' }
const linked = (text: string, href: string) => `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
const link = (env: Record<string, string>, text: string, target: string) =>
  createLinker({ env, isTTY: true })?.(text, target)

test.each([
  kitty,
  { WT_SESSION: 'x' },
  { VTE_VERSION: '6800' },
  { TERM_PROGRAM: 'WezTerm' },
  { TERM: 'xterm', FORCE_HYPERLINK: '1' },
  { ...kitty, NO_COLOR: '1' },
])('a terminal with %j shows links', (env) => {
  expect(link(env, 'here', 'https://time.example.com')).toBe(linked('here', 'https://time.example.com/'))
})

test.each([
  [{ TERM: 'xterm-256color' }, true, undefined],
  [{ VTE_VERSION: '4600' }, true, undefined],
  [{ ...kitty, FORCE_HYPERLINK: '0' }, true, undefined],
  [kitty, false, undefined],
  [{ FORCE_HYPERLINK: '1' }, false, undefined],
  [kitty, true, false],
  [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, true, undefined],
])('there are no links with %j, terminal %j and colour %j', (env, isTTY, color) => {
  expect(createLinker({ env, isTTY, color })).toBeUndefined()
})

test('a file has a link, except in a remote session', () => {
  expect(link(kitty, 'it', '/home/ada/my report.html')).toBe(
    linked('it', 'file:///home/ada/my%20report.html'),
  )
  expect(link({ ...kitty, SSH_TTY: '/dev/pts/0' }, 'it', '/home/ada/x')).toBe('it')
})

test('an address is encoded, and an invalid one is not a link', () => {
  const title = '\u001b]0;title\u0007x'
  expect(link(kitty, 'x', `https://a.example/${title}`)).toBe(
    linked('x', 'https://a.example/%1B]0;title%07x'),
  )
  expect(link(kitty, 'x', `/tmp/${title}`)).not.toContain('\u0007')
  expect(link(kitty, 'x', 'https://')).toBe('x')
})

test('a link has no width, stays complete when its text is shortened, and is not escaped', () => {
  const link = linked('café', 'https://time.example.com/')
  expect(displayWidth(link)).toBe(4)
  expect(shortenText(link, 3)).toBe(linked('ca…', 'https://time.example.com/'))
  expect(escapeStyledText(`${link}\u0007`)).toBe(`${link}\\x07`)
})
