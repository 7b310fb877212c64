import { expect, test } from 'vitest'
import { createLinker } from '../../../src/ui/hyperlinks.js'
import { displayWidth, escapeStyledText, shortenText } from '../../../src/ui/text.js'

const kitty = { TERM: 'xterm-kitty' }
const linked = (text: string, href: string) => `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
const made = (env: Record<string, string>, text: string, target: string) =>
  createLinker({ env, isTTY: true })?.(text, target)

test.each([
  kitty,
  { WT_SESSION: 'x' },
  { VTE_VERSION: '6800' },
  { TERM_PROGRAM: 'WezTerm' },
  { TERM: 'xterm', FORCE_HYPERLINK: '1' },
  { ...kitty, NO_COLOR: '1' },
])('a terminal with %j takes links', (env) => {
  expect(made(env, 'here', 'https://time.example.com')).toBe(linked('here', 'https://time.example.com/'))
})

test.each([
  [{ TERM: 'xterm-256color' }, true, undefined],
  [{ VTE_VERSION: '4600' }, true, undefined],
  [{ ...kitty, FORCE_HYPERLINK: '0' }, true, undefined],
  [kitty, false, undefined],
  [{ FORCE_HYPERLINK: '1' }, false, undefined],
  [kitty, true, false],
  [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, true, undefined],
])('with %j, a terminal being %j and colour %j there are none', (env, isTTY, color) => {
  expect(createLinker({ env, isTTY, color })).toBeUndefined()
})

test('a file is linked by its URL, but not from another machine', () => {
  expect(made(kitty, 'it', '/home/ada/my report.html')).toBe(
    linked('it', 'file:///home/ada/my%20report.html'),
  )
  expect(made({ ...kitty, SSH_TTY: '/dev/pts/0' }, 'it', '/home/ada/x')).toBe('it')
})

test('nothing in an address drives the terminal, and what is none is no link', () => {
  const title = '\u001b]0;title\u0007x'
  expect(made(kitty, 'x', `https://a.example/${title}`)).toBe(
    linked('x', 'https://a.example/%1B]0;title%07x'),
  )
  expect(made(kitty, 'x', `/tmp/${title}`)).not.toContain('\u0007')
  expect(made(kitty, 'x', 'https://')).toBe('x')
})

test('a link takes no room, stays whole when it is shortened, and stays where values are made harmless', () => {
  const link = linked('café', 'https://time.example.com/')
  expect(displayWidth(link)).toBe(4)
  expect(shortenText(link, 3)).toBe(linked('ca…', 'https://time.example.com/'))
  expect(escapeStyledText(`${link}\u0007`)).toBe(`${link}\\x07`)
})
