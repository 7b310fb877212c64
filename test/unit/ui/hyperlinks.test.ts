import { expect, test } from 'vitest'
import { createLinker } from '../../../src/ui/colour.js'
import { displayWidth, escapeStyledText, shortenText } from '../../../src/ui/text.js'

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
