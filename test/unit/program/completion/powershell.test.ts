import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// Checks the text of the script, because PowerShell is not available to run it.
const script = readFileSync(new URL('../../../../completions/tt.ps1', import.meta.url), 'utf8')

/** The script without comments and with empty strings. */
const code = script.replace(/'(?:''|[^'])*'|"(?:`.|""|[^"`])*"|#.*/g, (found) =>
  found.startsWith('#') ? '' : found.charAt(0).repeat(2),
)

test('the PowerShell script closes every quote, bracket and brace in order', () => {
  const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }
  const open: string[] = []
  for (const char of code) {
    if (closing[char]) open.push(closing[char])
    else if (')]}'.includes(char)) expect(open.pop()).toBe(char)
  }
  expect(open).toEqual([])
  expect(code.replaceAll("''", '').replaceAll('""', '')).not.toMatch(/['"`]/)
})

test('the PowerShell script evaluates no text and runs no program but tt', () => {
  expect(code).not.toMatch(/Invoke-|\biex\b|ExpandString|\[scriptblock\]|Add-Type/i)
  expect(code).not.toMatch(/(^|[\s;({=])[&.]\s*[$'"({]/m)
  expect([...code.matchAll(/^.*@words.*$/gm)].map(([line]) => line.trim())).toEqual([
    "$lines = @(tt __complete '' @words 2>$null)",
  ])
})

test('the PowerShell script quotes values with special characters with the function of PowerShell', () => {
  const [, pattern = ''] = /\$value -notmatch '([^']+)'/.exec(script) ?? []
  const isPlain = new RegExp(pattern)
  for (const word of ['start', '--since=today', 'Acme/Website/Design', '12']) expect(word).toMatch(isPlain)
  for (const char of ' \'"`$(){}[];&|<>@#,~*?!\\%^\u2018\u2019\u201c🎉')
    expect(`a${char}`).not.toMatch(isPlain)
  expect(script).toContain('EscapeSingleQuotedStringContent($value)')
})
