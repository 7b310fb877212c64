import { expect, test } from 'vitest'
import { detected, entries, texts } from './read.js'

const entry = {
  ...{ id: 3_401_234_567, workspace_id: 2_949_399, project_id: 265_931_152, task_id: null, billable: true },
  ...{ start: '2024-05-01T07:30:00+00:00', stop: '2024-05-01T08:30:15Z', duration: 3615 },
  ...{ description: 'Logo', tags: ['front end', 'urgent'], duronly: false },
  ...{ server_deleted_at: null, user_id: 4_232_226 },
}
const names = { client_name: 'Acme', project_name: 'Website', task_name: 'Design', user_name: 'Ada' }
const named = { ...entry, ...names }

test('entries with names, one without an end, and a deleted one', async () => {
  const running = { ...named, id: 2, stop: null, duration: -1_714_552_200, tags: null }
  const deleted = { ...named, id: 3, server_deleted_at: '2024-05-02T00:00:00Z' }
  const text = JSON.stringify([named, running, deleted])
  expect(await detected(text)).toBe('toggl')
  expect(await texts('toggl', text)).toEqual([
    '1: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design #front end #urgent Logo',
    '1: 2024-05-01T07:30Z – open Acme/Website/Design Logo',
    '1: skipped: deleted entries',
  ])
  expect(await entries('toggl', text)).toMatchObject([
    { sourceId: '3401234567', billable: true, person: 'Ada' },
    { sourceId: '2' },
  ])
})

test('entries without names have the IDs of their projects', async () => {
  expect(await texts('toggl', JSON.stringify([entry, { ...entry, project_id: null }]))).toEqual([
    'The file has IDs instead of the names of projects or tasks. Requests to the API with meta=true have the names.',
    '1: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ 265931152 #front end #urgent Logo',
    '1: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ #front end #urgent Logo',
  ])
})

test('a detailed report has several times in a row', async () => {
  const row = {
    ...{ user_id: 1, username: 'Ada', project_id: 5, project_name: 'Website', client_name: 'Acme' },
    ...{ task_id: null, billable: false, description: 'Logo', tag_ids: [7], tag_names: ['urgent'] },
    row_number: 1,
    time_entries: [
      { id: 1, seconds: 3600, start: '2024-05-01T09:30:00+02:00', stop: '2024-05-01T10:30:00+02:00' },
      { id: 2, seconds: 60, start: '2024-05-02T09:30:00+02:00', stop: '2024-05-02T09:31:00+02:00' },
    ],
  }
  expect(await detected(JSON.stringify([row]))).toBe('toggl')
  expect(await texts('toggl', JSON.stringify([row]))).toEqual([
    '1: 2024-05-01T07:30Z – 2024-05-01T08:30Z Acme/Website #urgent Logo',
    '1: 2024-05-02T07:30Z – 2024-05-02T07:31Z Acme/Website #urgent Logo',
  ])
  expect((await entries('toggl', JSON.stringify([row]))).map(({ sourceId }) => sourceId)).toEqual(['1', '2'])
})

test('an invalid value does not prevent the next entry', async () => {
  const wrong = [
    { ...named, start: 'today' },
    { ...named, stop: '2024-05-01T07:00:00Z' },
    { ...named, tags: 'urgent' },
  ]
  expect(await texts('toggl', [...wrong, named].map((value) => JSON.stringify(value)).join('\n'))).toEqual([
    'file:1:1: start is "today", not a time such as 2024-05-01T09:30:00+02:00.',
    'file:2:1: stop is "2024-05-01T07:00:00Z", not a time at or after the start.',
    'file:3:1: tags is "\\"urgent\\"", not a list of texts.',
    expect.stringMatching(/^4: 2024-05-01T07:30Z/),
  ])
})
