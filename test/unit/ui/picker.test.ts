import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Picker, type PickerOptions, type PickerOutput, pick } from '../../../src/ui/picker.js'
import { displayWidth } from '../../../src/ui/text.js'
import { plainStyle } from '../../../src/ui/view.js'

const names = ['Acme / Website / Design', 'Acme / Website / Entwürfe', 'Beta / App / Review 2']
const pickerOf = (options: PickerOptions<string> = {}, choices: readonly string[] = names) =>
  new Picker(
    choices.map((name) => ({ name, value: name })),
    options,
  )
const createChoice = (typed: string) => ({ name: `Create ${typed}`, value: `new ${typed}` })

function type(picker: Picker<string>, text: string) {
  for (const character of text) picker.press({ text: character })
}

const rows = (picker: Picker<string>) => picker.rows.map(({ name }) => name)
const linesOf = (picker: Picker<string>, columns: number, height: number) =>
  picker.lines('? Which task?', { columns, rows: height }, plainStyle).lines

test('typed words filter in any order, without regard to case and accents', () => {
  const picker = pickerOf()
  type(picker, 'WEB entwurfe')
  expect(rows(picker)).toEqual(['Acme / Website / Entwürfe'])
  picker.press({ name: 'ctrl-u' })
  type(picker, 'review beta/app')
  expect(rows(picker)).toEqual(['Beta / App / Review 2'])
  type(picker, 'x')
  expect(picker.press({ name: 'return' })).toBeUndefined()
  picker.press({ name: 'backspace' })
  expect(picker.press({ name: 'return' })?.value).toBe('Beta / App / Review 2')
  picker.press({ name: 'ctrl-w' })
  expect(picker.filter).toBe('review ')
})

test('the selection stays in the list', () => {
  const picker = pickerOf()
  picker.press({ name: 'up' })
  expect(picker.selected).toBe(0)
  for (let step = 0; step < 5; step++) picker.press({ name: 'down' })
  expect(picker.selected).toBe(2)
  type(picker, 'zzz')
  expect(picker.selected).toBe(-1)
  expect(picker.press({ name: 'down' }) ?? picker.press({ name: 'return' })).toBeUndefined()
  picker.press({ name: 'ctrl-u' })
  expect(picker.selected).toBe(0)
})

test('a number chooses a row as long as nothing is typed', () => {
  const picker = pickerOf({ hasNumbers: true, createChoice })
  expect(picker.press({ text: '2' })?.value).toBe('Acme / Website / Entwürfe')
  expect(picker.press({ text: '4' })?.value).toBe('new ')
  // There is no such row.
  expect(picker.press({ text: '5' })).toBeUndefined()
  expect(picker.filter).toBe('5')
  picker.press({ name: 'ctrl-u' })
  type(picker, 'review 2')
  expect(rows(picker)).toEqual(['Beta / App / Review 2', 'Create review 2'])
  const other = pickerOf()
  expect(other.press({ text: '2' })).toBeUndefined()
  expect(other.filter).toBe('2')
})

test('a paste filters and chooses nothing, whatever its line ends', () => {
  const picker = pickerOf({ hasNumbers: true })
  expect(picker.press({ pasted: 'rev\r' })).toBeUndefined()
  expect(picker.filter).toBe('rev ')
  expect(rows(picker)).toEqual(['Beta / App / Review 2'])
  expect(pickerOf({ hasNumbers: true }).press({ pasted: '2' })).toBeUndefined()
})

test('the last row creates what was typed, and stays on the screen', () => {
  const many = Array.from({ length: 50 }, (_, index) => `Task ${index}`)
  const picker = pickerOf({ createChoice }, many)
  type(picker, 'task')
  for (let step = 0; step < 20; step++) picker.press({ name: 'down' })
  const lines = linesOf(picker, 40, 8)
  expect(lines).toHaveLength(8)
  expect(lines).toContain('❯ Task 20')
  expect(lines.at(-1)).toBe('  Create task')
})

test('text that matches nothing creates only after the last row is selected', () => {
  const picker = pickerOf({ createChoice })
  type(picker, 'fix header')
  expect(linesOf(picker, 40, 8)).toEqual([
    '? Which task? fix header',
    '  Create fix header',
    'Nothing matches. ↓ selects the new one.',
  ])
  expect(picker.press({ name: 'return' })).toBeUndefined()
  picker.press({ name: 'down' })
  expect(linesOf(picker, 40, 8)).toEqual(['? Which task? fix header', '❯ Create fix header'])
  expect(picker.press({ name: 'return' })?.value).toBe('new fix header')
  // More text is a different choice.
  type(picker, 's')
  expect(picker.press({ name: 'return' })).toBeUndefined()
})

test('in a list without choices Enter creates what was typed', () => {
  const picker = pickerOf({ createChoice }, [])
  type(picker, 'web')
  expect(linesOf(picker, 40, 8)).toEqual(['? Which task? web', '❯ Create web'])
  expect(picker.press({ name: 'return' })?.value).toBe('new web')
})

test('an unlikely choice is not selected before the user types or moves', () => {
  const unlikely = names.map((name) => ({ name, value: name, isUnlikely: true }))
  const picker = new Picker(unlikely)
  expect(picker.press({ name: 'return' })).toBeUndefined()
  picker.press({ name: 'down' })
  expect(picker.press({ name: 'return' })?.value).toBe(names[0])
  const typed = new Picker(unlikely)
  type(typed, 'rev')
  expect(typed.press({ name: 'return' })?.value).toBe('Beta / App / Review 2')
  expect(new Picker(unlikely, { createChoice }).press({ name: 'return' })?.value).toBe('new ')
})

test.each([1, 2, 5, 12, 40, 60, 80, 120])('fits into %i columns and any number of lines', (columns) => {
  for (const height of [1, 2, 3, 10])
    for (const text of ['', 'des', 'x'.repeat(300), '漢字'.repeat(30)]) {
      const picker = pickerOf({ createChoice, hasNumbers: true })
      picker.press({ pasted: text })
      const { lines, cursor } = picker.lines(
        '? "web" matches several tasks:',
        { columns, rows: height },
        plainStyle,
      )
      expect(lines.length).toBeLessThanOrEqual(height)
      if (columns > 2) for (const line of lines) expect(displayWidth(line)).toBeLessThan(Math.max(columns, 3))
      expect(cursor.row).toBeGreaterThanOrEqual(0)
    }
})

/** Shows a picker on a terminal that does not read. */
function open(picker: Picker<string>) {
  const input = new PassThrough()
  const output: PickerOutput = Object.assign(new PassThrough(), { columns: 60, rows: 20 })
  let written = ''
  let writes = 0
  output.on('data', (chunk) => {
    written += chunk
    writes++
  })
  const picked = pick(picker, 'Which task?', { input, output, style: plainStyle })
  return { input, picked, written: () => written, writes: () => writes }
}

test.each(['marked', 'unmarked'])(
  'pasting 10 kB of %s text takes less than a second of the processor',
  async (kind) => {
    const picker = pickerOf(
      { createChoice },
      Array.from({ length: 2000 }, (_, index) => `Task ${index}`),
    )
    const { input, picked, writes } = open(picker)
    const text = 'task 1999 '.repeat(1000)
    const start = process.cpuUsage()
    input.write(kind === 'marked' ? `\u001b[200~${text}\u001b[201~` : text)
    input.write('\u0015task 1999\r')
    expect(await picked).toBe('Task 1999')
    const { user, system } = process.cpuUsage(start)
    expect(user + system).toBeLessThan(1_000_000) // Microseconds.
    expect(writes()).toBeLessThan(20)
  },
)

test.each([
  ['Esc', '\u001b'],
  ['Ctrl-C', '\u0003'],
])('%s cancels and restores the terminal', { tags: 'slow' }, async (_, key) => {
  const { input, picked, written } = open(pickerOf())
  input.write(key)
  await expect(picked).rejects.toMatchObject({ code: 'interrupted' })
  expect(written().endsWith('\r\n\u001b[?2004l')).toBe(true)
  expect(input.listenerCount('keypress')).toBe(0)
})

test('the end of the input cancels', async () => {
  const { input, picked } = open(pickerOf())
  input.end()
  await expect(picked).rejects.toMatchObject({ code: 'interrupted' })
})
