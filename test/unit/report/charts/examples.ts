import { addDays, type Day, eachDay, weekday } from '../../../../src/lib/calendar/day.js'
import type { DayWork } from './reports.js'

const names = [
  'Website (Acme)',
  'Mobile app',
  '設計レビュー 東京支社',
  'בניית אתר חדש',
  'Support',
  'A project with a name that is much longer than any terminal would like it to be, and then some',
  'Café ☕ 👩‍👩‍👧‍👦',
  'Accounting',
  'Hiring',
  null,
]

/** Eight hours from Monday to Friday. */
export function fullTime(day: Day): number {
  return weekday(day) % 6 === 0 ? 0 : 8 * 3600
}

/** Generates the time of working days on many projects; the same days give the same time. */
export function randomWork(first: Day, last: Day): DayWork[] {
  const random = seeded(Number(first.replaceAll('-', '')))
  return [...eachDay(first, last)].flatMap((day) => {
    const free = fullTime(day) === 0 ? random() < 0.9 : random() < 0.06
    const parts = free ? 0 : 1 + Math.floor(random() * 4)
    return Array.from({ length: parts }, () => ({
      day,
      project: names[Math.floor(random() ** 2 * names.length)] ?? null,
      seconds: Math.round((0.3 + random() * 3.6) * 60) * 60,
    }))
  })
}

/** Returns consecutive days, each with this time on one project. */
export function steadyWork(first: Day, seconds: readonly number[], project = 'Website'): DayWork[] {
  return seconds.map((one, index) => ({ day: addDays(first, index), project, seconds: one }))
}

/** Generates numbers from 0 to 1 (Lehmer's generator with the multiplier of Park and Miller). */
function seeded(seed: number): () => number {
  let state = seed % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
