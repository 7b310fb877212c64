import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proposeEntries } from '../../../src/report/health/commit-proposals.js'

const at = (time: string) => new Date(`2024-05-01T${time}`)
const commit = (time: string, subject = 'work') => ({ hash: 'a1', time: at(time), subject })
const gap = { start: at('09:00'), end: at('17:00') }

function proposed(...commits: ReturnType<typeof commit>[]): string[] {
  return proposeEntries(gap, commits).map(
    ({ start, end, notes }) =>
      `${start.toTimeString().slice(0, 8)}–${end.toTimeString().slice(0, 8)} ${notes}`,
  )
}

test('assumes at most an hour before a commit, and less after another commit or the start of the gap', () => {
  expect(proposed(commit('09:20'))).toEqual(['09:00:00–09:20:00 work'])
  expect(proposed(commit('11:00', 'one'), commit('11:40', 'two'), commit('14:00', 'three'))).toEqual([
    '10:00:00–11:40:00 one; two',
    '13:00:00–14:00:00 three',
  ])
})

test('uses whole minutes within the gap', () => {
  expect(proposed(commit('12:00:20'))).toEqual(['11:01:00–12:01:00 work'])
  const narrow = { start: at('11:59:40'), end: at('12:00:30') }
  expect(proposeEntries(narrow, [commit('12:00:20')])).toMatchObject([narrow])
  expect(proposed(commit('09:00'))).toEqual(['09:00:00–09:01:00 work'])
})

test('notes have each subject once, and count those that make them too long', () => {
  const long = Array.from({ length: 9 }, (_, index) => commit(`10:0${index}`, `${index}`.repeat(60)))
  const [line = ''] = proposed(...long)
  expect(line).toMatch(/; 6 more$/)
  expect(proposed(commit('10:00', 'same'), commit('10:05', 'same'))).toEqual(['09:00:00–10:05:00 same'])
  expect(proposeEntries(gap, [commit('10:00', 'x'.repeat(500))])[0]?.notes).toHaveLength(200)
})

test('entries never overlap and never leave the gap, and every commit in the gap is in one', () => {
  const seconds = fc.integer({ min: 0, max: 40_000 })
  fc.assert(
    fc.property(seconds, fc.integer({ min: 60, max: 40_000 }), fc.array(seconds), (start, length, times) => {
      const base = at('00:00').getTime()
      const gap = { start: new Date(base + start * 1000), end: new Date(base + (start + length) * 1000) }
      const commits = times
        .sort((a, b) => a - b)
        .map((time) => ({ hash: 'a', time: new Date(base + time * 1000), subject: 's' }))
      const entries = proposeEntries(gap, commits)
      let last = gap.start
      for (const { start, end } of entries) {
        expect(start >= last && end > start && end <= gap.end).toBe(true)
        last = end
      }
      const inside = commits.filter(({ time }) => time >= gap.start && time <= gap.end)
      expect(entries.flatMap(({ commits }) => commits)).toEqual(inside)
    }),
  )
})
