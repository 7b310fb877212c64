import { expect, test } from 'vitest'
import { periodText } from '../../../../src/lib/calendar/period-text.js'

test.each([
  ['2026-10-01', '2026-10-01', 'Thursday, 1 October 2026'],
  ['2026-10-01', '2026-10-31', 'October 2026'],
  ['2024-02-01', '2024-02-29', 'February 2024'],
  ['2024-02-01', '2024-02-28', '1 to 28 February 2024'],
  ['2026-07-01', '2026-09-30', 'July to September 2026'],
  ['2026-01-01', '2026-12-31', '2026'],
  ['2025-01-01', '2026-12-31', 'January 2025 to December 2026'],
  ['2026-09-28', '2026-10-04', '28 September to 4 October 2026'],
  ['2025-12-29', '2026-01-04', '29 December 2025 to 4 January 2026'],
  ['2026-10-02', undefined, 'From 2 October 2026'],
  [undefined, '2026-10-02', 'Until 2 October 2026'],
  [undefined, undefined, 'All time'],
])('the period from %s to %s is "%s"', (first, last, text) => {
  const period = { ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
  expect(periodText(period)).toBe(text)
})
