import { expect, test } from 'vitest'
import { watson } from '../../../../../src/import-export/export/formats/watson.js'
import { exportedEntry, write } from '../fixtures.js'

const entries = [
  exportedEntry('2024-05-01T07:00:00.900Z', '2024-05-01T08:30:00Z', { notes: 'New #Logo', id: 1 }),
  exportedEntry('2024-05-02T07:00:00Z', '2024-05-02T08:00:00Z', { path: 'Support/Support', id: 2 }),
  exportedEntry('2024-05-03T07:00:00Z', '2024-05-03T08:00:00Z', { path: '', id: 3 }),
  exportedEntry('2024-05-08T07:00:00Z', null, { id: 4 }),
]

test('writes frames with the start, stop, project, ID, tags and time of the last change', async () => {
  const { text, findings } = await write(watson, entries)
  const id = expect.stringMatching(/^[0-9a-f]{32}$/)
  expect(JSON.parse(text)).toEqual([
    [1714546800, 1714552200, 'Website', id, ['Acme', 'Design', 'logo'], 1715169600],
    [1714633200, 1714636800, 'Support', id, [], 1715169600],
    [1714719600, 1714723200, 'no task', id, [], 1715169600],
  ])
  expect([findings.entries, findings.lostNotes, findings.omittedRunning.count]).toEqual([3, 1, 1])
})

test('IDs differ between entries and stay the same in later exports', async () => {
  const idsOf = async () =>
    (JSON.parse((await write(watson, entries)).text) as string[][]).map(([, , , id]) => id)
  const ids = await idsOf()
  expect(new Set(ids).size).toBe(3)
  expect(await idsOf()).toEqual(ids)
})
