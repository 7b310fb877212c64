import { describe, expect, test } from 'vitest'
import { formats } from '../../src/ui/formats/formats.js'
import { type Desk, newDesk } from '../support/test-cli.js'
import { dangerous, hostile } from '../unit/ui/awkward.js'

const all = Object.values(hostile).join(' ')

async function hostileDesk(): Promise<Desk> {
  const desk = newDesk('2024-05-01T12:00:00')
  for (const [index, notes] of Object.values(hostile).entries()) {
    const hour = `${8 + Math.floor(index / 4)}:${String((index % 4) * 15).padStart(2, '0')}`
    await desk.json('add', 'Acme/Website/Design', '--from', hour, '--for', '10m', '-n', notes)
  }
  await desk.json('expenses', 'add', '1', '-n', all)
  return desk
}

const template = ['--template', '{id} {notes}']
const optionsOf = (format: (typeof formats)[number]) =>
  format === 'table' || format === 'tsv' ? [] : format === 'template' ? template : [`--${format}`]

describe('notes that drive a terminal', () => {
  test.each(formats)('are escaped on a terminal by tt log as %s, with colours and links', async (format) => {
    const desk = await hostileDesk()
    const { status, stdout, stderr } = await desk.terminal(200, 'log', ...optionsOf(format))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('cm0gLXJm')
    expect(stdout).not.toMatch(dangerous)
  })

  test.each([
    ['api', 'GET', '/timesheets'],
    ['show', '1'],
    ['show', '1', '--json'],
    ['report', '--by', 'notes'],
    ['report', '--by', 'notes', '--csv'],
    ['report', '--by', 'notes', '--chart'],
    ['report', '--html', '-'],
    ['expenses', '--csv'],
    ['expenses', '--ndjson'],
    ['undo', '--list'],
    ['rm', '1', '2', '--yes'],
    ['edit', '3', '-n', all],
    ['start', all],
    ['log', '--fields', all],
    ['report', '--html', '/nonexistent/\u001b]52;c;x\u0007'],
    [all],
    [`--${all}`],
    ['show', all, '--json'],
    ['profiles', 'use', all],
  ])('are escaped on a terminal by tt %j %j', async (...line) => {
    const desk = await hostileDesk()
    for (const { stdout, stderr } of [await desk.terminal(200, ...line), await desk.tt(...line)]) {
      expect(`${stdout}${stderr}`).toMatch(/./)
      expect(line.includes('--csv') ? '' : stdout).not.toMatch(dangerous)
      expect(stderr).not.toMatch(dangerous)
    }
    expect((await desk.terminal(200, ...line)).stdout).not.toMatch(dangerous)
  })
})
