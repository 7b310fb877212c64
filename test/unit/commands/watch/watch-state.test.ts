import { expect, test } from 'vitest'
import { changeEvents, stateEvent } from '../../../../src/commands/watch/watch-state.js'
import { type Entry, entryFromJson, entryJson } from '../../../../src/tracking/entries/entry.js'
import { entryAt, stateWith } from './watch-fixtures.js'

const now = new Date('2024-05-01T14:00:00')

function eventsBetween(before: Entry[], after: Entry[], assigned: [string, string][] = []) {
  const events = changeEvents(stateWith(before), stateWith(after, { assignedIds: new Map(assigned) }), now)
  return events.map((event) => [event.type, 'entry' in event && event.entry.id])
}

const first = entryAt(1, '09:00', '10:00')
const running = entryAt(2, '10:00', null)

test('the state has the timer, the entries of today and the progress', () => {
  const yesterday = entryAt(9, '2024-04-30T09:00', '2024-04-30T10:00')
  expect(stateEvent(stateWith([yesterday, first, running]), { kind: 'local' }, now)).toMatchObject({
    type: 'state',
    timer: { id: 2, running: true, duration_seconds: 14_400 },
    entries: [{ id: 1 }, { id: 2 }],
    today_seconds: 18_000,
    today_target_seconds: null,
    connection: 'local',
    pending_changes: 0,
  })
})

test('reports a switch as a stop before a start', () => {
  const stopped = entryAt(2, '10:00', '12:00')
  expect(eventsBetween([first, running], [first, stopped, entryAt(3, '12:00', null)])).toEqual([
    ['stopped', 2],
    ['started', 3],
  ])
})

test('reports added, changed and deleted entries, and nothing without a change', () => {
  expect(eventsBetween([first, running], [first, running])).toEqual([])
  expect(eventsBetween([first], [entryAt(1, '09:00', '10:00', { notes: 'page' })])).toEqual([['changed', 1]])
  expect(eventsBetween([first], [entryAt(4, '11:00', '12:00')])).toEqual([
    ['deleted', 1],
    ['added', 4],
  ])
  expect(eventsBetween([entryAt(2, '10:00', '12:00')], [running])).toEqual([['changed', 2]])
})

test('an entry that gets its ID from the service has changed', () => {
  const pending = entryAt('~3', '10:00', null, { pending: true })
  expect(eventsBetween([pending], [entryAt(7, '10:00', null)], [['~3', '7']])).toEqual([['changed', 7]])
})

test('a running entry that was read from the service and then from this machine has not changed', () => {
  const running = entryAt(1, '09:00', null, { notes: 'page' })
  const stored = entryFromJson(entryJson(running, new Date('2024-05-01T09:20:00')))
  const [before, after] = [stateWith([running]), stateWith([stored])]
  const now = new Date('2024-05-01T09:30:00')
  expect(changeEvents(before, after, now)).toEqual([])
  expect(changeEvents(after, before, now)).toEqual([])
})

test('an entry with another time of its last change and another entity tag, and nothing else, has not changed', () => {
  const stored = (fields: object) => entryFromJson({ ...entryJson(first, now), ...fields })
  const before = stored({ updated_at: '2024-05-01T10:00:00Z', etag: '"1"' })
  const after = stored({ updated_at: '2024-05-01T11:00:00Z', etag: '"2"' })
  expect(eventsBetween([before], [after])).toEqual([])
})
