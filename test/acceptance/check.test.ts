import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

async function createHome() {
  const home = temporaryDirectory()
  const times = ['yesterday 9:00', 'yesterday 9:30']
  for (const from of times) {
    const added = await tt(home, ['add', 'Müller & Söhne/Relaunch/Review', '--from', from, '--for', '1h'])
    expect(added).toMatchObject({ status: 0 })
  }
  const terminal = openTerminal(home)
  terminal.resize(100, 60)
  return { home, terminal }
}

test('-o prompts on a terminal before it replaces a file', async () => {
  const { home, terminal } = await createHome()
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
