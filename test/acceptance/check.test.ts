import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

async function createHome(columns: number) {
  const home = temporaryDirectory()
  const times = ['yesterday 9:00', 'yesterday 9:30']
  for (const from of times) {
    const added = await tt(home, ['add', 'Müller & Söhne/Relaunch/Review', '--from', from, '--for', '1h'])
    expect(added).toMatchObject({ status: 0 })
  }
  const terminal = openTerminal(home)
  terminal.resize(columns, 60)
  return { home, terminal }
}

test.each([40, 60, 80, 120])('tt check breaks no word of its table at %i columns', async (columns) => {
  const { home, terminal } = await createHome(columns)
  const found = await ttJson<{ what: string; mend: string }[]>(home, 'check', '--overlaps', '--without-notes')
  expect(found).toHaveLength(3)
  terminal.runTt('check --overlaps --without-notes')
  await terminal.waitForText('exit=0')
  const screen = terminal.screen()
  const start = screen.split('\n').find((line) => line.startsWith('N  Kind')) ?? ''
  const details = start.indexOf('Details')
  const below = screen.slice(screen.indexOf(start) + start.length)
  expect(details, screen).toBeGreaterThan(0)
  for (const word of found.flatMap(({ what }) => what.split(' '))) expect(below).toContain(word)
  expect(screen).toMatch(/^1 overlap, 30m\n2 entries without notes, 2h 00m$/m)
  // The terminal wraps a command, which stays one line to copy.
  const unwrapped = below.replaceAll('\n', '')
  for (const { mend } of found) expect(unwrapped.replaceAll(' ', '')).toContain(mend.replaceAll(' ', ''))
})

test('-o prompts on a terminal before it replaces a file', async () => {
  const { home, terminal } = await createHome(100)
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
