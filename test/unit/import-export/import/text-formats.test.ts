import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectFormat } from '../../../../src/import-export/import/detect-format.js'
import type { SourceRow } from '../../../../src/import-export/import/format.js'
import { type FormatName, formatNames } from '../../../../src/import-export/import/formats.js'
import { textSourceOf } from '../../../../src/import-export/import/source/text-source.js'
import { TtError } from '../../../../src/lib/errors.js'
import { anyZone, inZoneAsync } from '../../lib/calendar/zone.js'
import { joinChunks } from '../../ui/special-texts.js'
import { entries, fixture, read } from './read.js'

/** Entries of a source with whole seconds. */
const anyEntries = fc.array(
  fc
    .record({
      startSeconds: fc.integer({ min: Date.UTC(2024, 0, 1) / 1000, max: Date.UTC(2024, 11, 1) / 1000 }),
      seconds: fc.integer({ min: 0, max: 100_000 }),
      // CSV files put an apostrophe before formulas. U+2028 ends a line for some patterns, but not in these formats.
      notes: fc.stringMatching(/^([\w"\\#é,;:.-]([\w"'\\#é,;:. \u2028-]*[\w"'\\#é,;:.-])?)?$/),
    })
    .map(({ startSeconds, seconds, notes }) => ({
      ...{ start: new Date(startSeconds * 1000), end: new Date((startSeconds + seconds) * 1000) },
      ...{ seconds, notes },
    })),
  { maxLength: 8 },
)

/** Returns the local time of an instant in the zone of the process. */
const local = (date: Date) => {
  const localMs = date.getTime() - date.getTimezoneOffset() * 60_000
  const [day = '', clock = ''] = new Date(localMs).toISOString().slice(0, 19).split('T')
  return { day, clock }
}
/** Whether no other instant within three hours has the same local time. */
const isUnique = (date: Date) => {
  const shown = local(date)
  return [-180, -120, -60, -30, 30, 60, 120, 180].every((minutes) => {
    const { day, clock } = local(new Date(date.getTime() + minutes * 60_000))
    return day !== shown.day || clock !== shown.clock
  })
}

describe('in any time zone', () => {
  test('rows of Toggl and Clockify are restored, also where a start occurs twice', {
    tags: 'slow',
  }, async () => {
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(anyEntries, anyZone, fc.boolean(), async (list, zone, isToggl) => {
        await inZoneAsync(zone, async () => {
          const [date, time] = isToggl ? ['date', 'time'] : ['Date', 'Time']
          const header = `Start ${date},Start ${time},End ${date},End ${time}`
          const rows = list.map(({ start, end, seconds, notes }) => {
            const [from, to] = [local(start), local(end)]
            const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600]
            const clock = [hours, Math.floor(rest / 60), rest % 60]
              .map((part) => String(part).padStart(2, '0'))
              .join(':')
            return [from.day, from.clock, to.day, to.clock, clock, quote(notes)].join(',')
          })
          const text = [`${header},Duration${isToggl ? '' : ' (h)'},Description`, ...rows].join('\r\n')
          const found = await entries(isToggl ? 'toggl' : 'clockify', text)
          const isDetermined = list.map(({ start, seconds }) => isUnique(start) || seconds > 4 * 3600)
          const timesOf = (items: readonly { start: Date; end: Date | null }[]) =>
            items.filter((_, index) => isDetermined[index]).map(({ start, end }) => [start, end])
          expect(timesOf(found)).toEqual(timesOf(list))
          expect(found.map(({ notes }) => notes)).toEqual(
            list.map(({ notes }) => (isToggl && notes === '-' ? '' : notes)),
          )
          expect(found.map(({ start, end }) => end && (end.getTime() - start.getTime()) / 1000)).toEqual(
            list.map(({ seconds }) => seconds),
          )
        })
      }),
    )
  })

  test('records of klog have the total that klog calculates', async () => {
    const anyRecord = fc.array(
      fc.record({
        from: fc.integer({ min: -1440, max: 2879 }),
        length: fc.nat(600),
        kind: fc.constantFrom('range', 'duration', 'break'),
      }),
      { minLength: 1, maxLength: 8 },
    )
    const time = (minutes: number) => {
      const [day, rest] = [Math.floor(minutes / 1440), ((minutes % 1440) + 1440) % 1440]
      const clock = `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, '0')}`
      return `${day < 0 ? '<' : ''}${clock}${day > 0 ? '>' : ''}`
    }
    await fc.assert(
      fc.asyncProperty(anyRecord, anyZone, async (items, zone) => {
        await inZoneAsync(zone, async () => {
          const lines = items.map(({ from, length, kind }) => {
            const to = Math.min(from + length, 2879)
            return kind === 'range'
              ? `${time(from)} - ${time(to)}`
              : `${kind === 'break' ? '-' : ''}${length}m`
          })
          const lengths = items.map(({ from, length, kind }) =>
            kind === 'range' ? Math.min(from + length, 2879) - from : kind === 'break' ? -length : length,
          )
          const total = lengths.reduce((sum, length) => sum + length, 0)
          // No zone changes its clocks between 9 and 12 January 2024.
          const rows = await read('klog', `2024-01-10\n${lines.map((line) => `    ${line}\n`).join('')}`)
          const sum = rows
            .filter((row) => row.kind === 'entry')
            .reduce(
              (minutes, { start, end }) => minutes + ((end?.getTime() ?? 0) - start.getTime()) / 60_000,
              0,
            )
          if (total >= 0) expect(sum).toBe(total)
          expect(rows.some(({ kind }) => kind === 'invalid')).toBe(total < 0)
        })
      }),
    )
  })
})

const fixtures: [string, FormatName][] = [
  ['timewarrior.json', 'timewarrior'],
  ['2024-05.data', 'timewarrior'],
  ['frames', 'watson'],
  ['watson-log.json', 'watson'],
  ['example.klg', 'klog'],
  ['example.timeclock', 'timeclock'],
  ['toggl.csv', 'toggl'],
  ['toggl-new.csv', 'toggl'],
  ['clockify.csv', 'clockify'],
  ['harvest.csv', 'harvest'],
  ['solidtime.csv', 'solidtime'],
  ['calendar.ics', 'ical'],
]

describe.each(fixtures)('the fixture %s', (name, format) => {
  test('is detected', async () => expect((await detectFormat(fixture(name))).name).toBe(format))

  test('is read equally in any pieces and with any line endings', async () => {
    const text = await joinChunks(fixture(name).chunks())
    const whole = await read(format, text)
    expect(whole.length).toBeGreaterThan(1)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(text.length)), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), text.length]
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
        expect(await read(format, textSourceOf('file', ...pieces))).toEqual(whole)
      }),
      { numRuns: 20 },
    )
    const windows = await read(format, text.replaceAll('\n', '\r\n'))
    const plain = (rows: readonly SourceRow[]) => JSON.stringify(rows).replaceAll('\\r\\n', '\\n')
    expect(plain(windows)).toBe(plain(whole))
  })

  test('with any character changed is read, or rejected with a clear error', async () => {
    const text = await joinChunks(fixture(name).chunks())
    const change = fc.record({
      at: fc.nat(text.length - 1),
      by: fc.oneof(fc.constantFrom(...'"\n\\[]{},:;-#\t0 '), fc.string({ maxLength: 1 })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        let changed = text
        for (const { at, by } of changes) changed = changed.slice(0, at) + by + changed.slice(at + 1)
        expect(await problemOf(format, changed)).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })
})

test('any text is read by any format, or rejected with a clear error', { tags: 'slow' }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.constantFrom(...formatNames), async (text, format) => {
      expect(await problemOf(format, text)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

/** Returns an error that is a bug of the reader; undefined if there is none. */
async function problemOf(format: FormatName, text: string): Promise<unknown> {
  try {
    const source = textSourceOf('file', text)
    await detectFormat(source).catch((error) => {
      if (!(error instanceof TtError)) throw error
    })
    for (const row of await read(format, source)) {
      if (row.kind !== 'entry') continue
      if (Number.isNaN(row.start.getTime()) || (row.end && !(row.end >= row.start))) return row
    }
  } catch (error) {
    return error instanceof TtError && error.code === 'usage' && (error.hint ?? error.nextStep)
      ? undefined
      : error
  }
  return undefined
}
