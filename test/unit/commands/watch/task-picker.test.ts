import { expect, test } from 'vitest'
import { TaskPicker } from '../../../../src/commands/watch/task-picker.js'
import { entryAt, linkNamed } from './watch-fixtures.js'

function labels(picker: TaskPicker): string[] {
  return picker.matches.map(({ link, notes }) => [link.task?.name, notes].filter(Boolean).join(': '))
}

function type(picker: TaskPicker, text: string) {
  for (const character of text) picker.press({ text: character })
}

test('offers recent tasks with their notes, the latest first and each once, then all active tasks', () => {
  const picker = new TaskPicker([
    entryAt(1, '08:00', '09:00', { notes: 'page' }),
    entryAt(2, '09:00', '10:00', { task: 'Review', linkId: 2 }),
    entryAt(3, '10:00', '11:00', { notes: 'page' }),
    entryAt(4, '11:00', null, { notes: 'running now' }),
  ])
  picker.addTasks([linkNamed('Design'), linkNamed('Review', 2), { ...linkNamed('Old', 3), active: false }])
  expect(labels(picker)).toEqual(['Design: page', 'Review', 'Design'])
})

test('typed words filter in any order, without regard to case and accents', () => {
  const picker = new TaskPicker([])
  picker.addTasks([linkNamed('Design'), linkNamed('Entwürfe', 2), linkNamed('Review', 3)])
  type(picker, 'WEB entwurfe')
  expect(labels(picker)).toEqual(['Entwürfe'])
  picker.press({ name: 'ctrl-u' })
  type(picker, 'review acme/website')
  expect(labels(picker)).toEqual(['Review'])
  type(picker, 'x')
  expect(picker.press({ name: 'return' })).toBeUndefined()
  picker.press({ name: 'backspace' })
  expect(picker.press({ name: 'return' })?.link.task?.name).toBe('Review')
})

test('the selection stays in the list', () => {
  const picker = new TaskPicker([])
  picker.addTasks([linkNamed('Design'), linkNamed('Review', 2)])
  picker.press({ name: 'up' })
  expect(picker.selected).toBe(0)
  for (let step = 0; step < 5; step++) picker.press({ name: 'down' })
  expect(picker.selected).toBe(1)
  expect(picker.press({ name: 'return' })?.link.task?.name).toBe('Review')
  type(picker, 'zzz')
  expect(picker.selected).toBe(0)
  picker.press({ name: 'down' })
  picker.press({ name: 'ctrl-u' })
  expect(picker.selected).toBe(0)
})

test('a paste filters and starts nothing, whatever its line ends', () => {
  const picker = new TaskPicker([])
  picker.addTasks([linkNamed('Design'), linkNamed('Review', 2)])
  expect(picker.press({ pasted: 'rev\r' })).toBeUndefined()
  expect(picker.filter).toBe('rev ')
  expect(labels(picker)).toEqual(['Review'])
})
