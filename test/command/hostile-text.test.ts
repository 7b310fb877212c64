import { describe, expect, test } from 'vitest'
import { exportFormatNames } from '../../src/records/export-formats.js'
import { preparedCli } from '../support/prepared-cli.js'
import { hostileTexts, unsafeCharacter } from '../unit/ui/special-texts.js'

const all = Object.values(hostileTexts).join(' ')

const createHostileCli = preparedCli('2024-05-01T12:00:00', async (cli) => {
  for (const [index, notes] of Object.values(hostileTexts).entries()) {
    const hour = `${8 + Math.floor(index / 4)}:${String((index % 4) * 15).padStart(2, '0')}`
    await cli.json('add', 'Acme/Website/Design', '--from', hour, '--for', '10m', '-n', notes)
  }
  await cli.json('expenses', 'add', '1', '-n', all)
})

describe('control characters in notes', () => {
  test.each(exportFormatNames)('are escaped in a terminal by tt export as %s', async (name) => {
    const cli = await createHostileCli()
    const { status, stdout } = await cli.runInTerminal(200, 'export', '--format', name)
    expect(status).toBe(0)
    expect(stdout).not.toMatch(unsafeCharacter)
  })

  test.each([
    ['log'],
    ['api', 'GET', '/timesheets'],
    ['show', '1'],
    ['show', '1', '--json'],
    ['report', '--by', 'notes'],
    ['report', '--by', 'notes', '--chart'],
    ['report', '--html'],
    ['expenses', '--csv'],
    ['undo', '--list'],
    ['rm', '1', '2', '--yes'],
    ['edit', '3', '-n', all],
    ['start', all],
    ['log', '--fields', all],
    ['report', '-o', '/nonexistent/\u001b]52;c;x\u0007.html'],
    ['report', '-o', '\u001b]52;c;x\u0007'],
    [all],
    [`--${all}`],
    ['show', all, '--json'],
    ['profiles', 'use', all],
  ])('are escaped in a terminal by tt %j %j', async (...line) => {
    const cli = await createHostileCli()
    const terminal = await cli.runInTerminal(200, ...line)
    const pipe = await cli.run(...line)
    // In a pipe, CSV is exact.
    const shown = [
      terminal.stdout,
      terminal.stderr,
      pipe.stderr,
      ...(line.includes('--csv') ? [] : [pipe.stdout]),
    ]
    expect(shown.join('')).not.toMatch(unsafeCharacter)
    for (const { stdout, stderr } of [terminal, pipe]) expect(`${stdout}${stderr}`).toMatch(/./)
  })
})
