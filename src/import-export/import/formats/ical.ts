import type { ImportFormat } from '../format.js'
import { componentBlocks } from '../ical/component-blocks.js'
import { requireFormat } from '../source/sample.js'

/**
 * Events of a calendar (RFC 5545). The summary becomes the notes, and categories become tags. Repeated events are expanded
 * from `options.since` to `options.until`, which is now without it; events of whole days and cancelled ones are skipped.
 */
export const ical: ImportFormat = {
  name: 'ical',
  detect: ({ lines }) => /^BEGIN:VCALENDAR\s*$/i.test(lines.find((line) => line.trim() !== '') ?? ''),
  async *read(source, options) {
    await requireFormat(source, ical)
    const [{ CalendarEvents }, { tzOffset }] = await Promise.all([
      import('../ical/calendar-events.js'),
      import('@date-fns/tz'),
    ])
    const events = new CalendarEvents(options, tzOffset)
    for await (const block of componentBlocks(source)) events.prepare(block)
    await events.load()
    for await (const block of componentBlocks(source)) yield* events.read(block)
    yield* events.rest()
  },
}
