import { expect, test } from 'vitest'
import { LogDurations } from '../../../../src/commands/views/log-durations.js'
import { dayOf } from '../../../../src/lib/calendar/day.js'
import { DurationDisplay, durationFormats } from '../../../../src/lib/calendar/duration-display.js'
import { chooseSeed, SeededRandom } from '../../../support/seeded-random.js'

test.each(durationFormats)('random entries add up to their days and to the total: %s', (format) => {
  const random = new SeededRandom(chooseSeed('log durations'))
  const display = DurationDisplay.of(format)
  const stepSeconds = format === '1.40' ? 36 : 60
  for (let round = 0; round < 100; round++) {
    const entries = Array.from({ length: random.between(1, 30) }, (_, id) => {
      const startMs = Date.UTC(2024, 2, 25) + random.between(0, 14 * 86_400) * 1000
      const seconds = random.chance(0.2) ? random.between(0, 10 * 86_400) : random.between(0, 20_000)
      return { id, part: { start: new Date(startMs), end: new Date(startMs + seconds * 1000) }, seconds }
    })
    const durations = new LogDurations(
      entries.map((entry) => ({ ...entry, start: entry.part.start })),
      display,
    )
    const exact = entries.reduce((sum, { seconds }) => sum + seconds, 0)
    expect(durations.total).toBe(display.rounded(exact))
    const parts = entries.map((entry) => durations.ofPart(entry))
    expect(parts.reduce((sum, seconds) => sum + seconds, 0)).toBe(durations.total)
    // Only the first and the last day of an entry are not whole.
    for (const [index, { seconds }] of entries.entries())
      expect(Math.abs((parts[index] ?? 0) - seconds)).toBeLessThan(2 * stepSeconds)
    const days = new Set<string>()
    for (const { part } of entries)
      for (let ms = part.start.getTime(); ms < part.end.getTime(); ms += 3_600_000)
        days.add(dayOf(new Date(ms)))
    for (const { part, seconds } of entries)
      if (seconds > 0) days.add(dayOf(new Date(part.end.getTime() - 1)))
    const sum = [...days].reduce((all, day) => all + (durations.ofDay(day) ?? Number.NaN), 0)
    expect(sum).toBe(durations.total)
  }
})
