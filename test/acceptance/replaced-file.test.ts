import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

test('-o prompts on a terminal before it replaces a file', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = temporaryDirectory()
  const terminal = openTerminal(home)
  terminal.resize(100, 60)
  const path = join(home, 'x.html')
  writeFileSync(path, 'previous')
  terminal.runTt('report -o x.html')
  await terminal.waitForText(`Replace ${path}?`)
  terminal.type('n', 'Enter')
  await terminal.waitForText('exit=1')
  expect(terminal.screen()).toContain('Nothing was changed.')
  expect(readFileSync(path, 'utf8')).toBe('previous')
  terminal.runTt('report -o x.html')
  await terminal.waitForText(`Replace ${path}?`)
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toContain(`Wrote ${path}.`)
  expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/)
  terminal.runTt('log -o x.json')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toContain(`Wrote ${join(home, 'x.json')}.`)
})
