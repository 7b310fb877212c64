import { expect, test } from 'vitest'
import { addTasks, createTaskPicker } from '../../../../src/commands/watch/screen-session.js'
import { entryAt, linkNamed } from './watch-fixtures.js'

test('offers recent tasks with their notes, the latest first and each once, then all active tasks', () => {
  const picker = createTaskPicker([
    entryAt(1, '08:00', '09:00', { notes: 'page' }),
    entryAt(2, '09:00', '10:00', { task: 'Review', linkId: 2 }),
    entryAt(3, '10:00', '11:00', { notes: 'page' }),
    entryAt(4, '11:00', null, { notes: 'running now' }),
  ])
  addTasks(picker, [linkNamed('Design'), linkNamed('Review', 2), { ...linkNamed('Old', 3), active: false }])
  expect(picker.rows.map(({ name, detail }) => [name, detail])).toEqual([
    ['Acme / Website / Design', 'page'],
    ['Acme / Website / Review', undefined],
    ['Acme / Website / Design', undefined],
  ])
})
