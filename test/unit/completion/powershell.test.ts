import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// There is no PowerShell to run it here: what can be seen in its text.
const script = readFileSync(new URL('../../../completions/tt.ps1', import.meta.url), 'utf8')

/** The script without its comments, and with nothing between its quotes. */
const bare = script.replace(/'(?:''|[^'])*'|"(?:`.|""|[^"`])*"|#.*/g, (found) =>
  found.startsWith('#') ? '' : found.charAt(0).repeat(2),
)

test('every quote, bracket and brace of the PowerShell script is closed in order', () => {
  const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }
  const open: string[] = []
  for (const char of bare) {
    if (closing[char]) open.push(closing[char])
    else if (')]}'.includes(char)) expect(open.pop()).toBe(char)
  }
  expect(open).toEqual([])
  expect(bare.replaceAll("''", '').replaceAll('""', '')).not.toMatch(/['"`]/)
})

test('it evaluates nothing: no text becomes code, and the one program it calls is tt', () => {
  expect(bare).not.toMatch(/Invoke-|\biex\b|ExpandString|\[scriptblock\]|Add-Type/i)
  expect(bare).not.toMatch(/(^|[\s;({=])[&.]\s*[$'"({]/m)
  expect([...bare.matchAll(/^.*@words.*$/gm)].map(([line]) => line.trim())).toEqual([
    "$lines = @(tt __complete '' @words 2>$null)",
  ])
})

test('it inserts what is no plain word between quotes, escaped by PowerShell itself', () => {
  const [, pattern = ''] = /\$value -notmatch '([^']+)'/.exec(script) ?? []
  const isPlain = new RegExp(pattern)
  for (const word of ['start', '--since=today', 'Acme/Website/Design', '12']) expect(word).toMatch(isPlain)
  for (const char of ' \'"`$(){}[];&|<>@#,~*?!\\%^\u2018\u2019\u201c🎉')
    expect(`a${char}`).not.toMatch(isPlain)
  expect(script).toContain('EscapeSingleQuotedStringContent($value)')
})
