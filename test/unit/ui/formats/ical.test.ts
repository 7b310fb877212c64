import fc from 'fast-check'
import nodeIcal from 'node-ical'
import { describe, expect, it, test } from 'vitest'
import { renderList } from '../../../../src/ui/formats/render.js'
import { type CalendarEvent, plainStyle, type View } from '../../../../src/ui/view.js'
import { joinChunks, noteView, specialTexts, tea } from '../special-texts.js'

const view: View<CalendarEvent> = {
  columns: [],
  json: (event) => ({ ...event }),
  event: (event) => event,
  empty: 'No events.',
}
const options = { style: plainStyle, width: undefined }
const calendar = (...events: CalendarEvent[]) => joinChunks(renderList(view, events, 'ical', options))

/** Reads the events with an independent parser. */
async function eventsIn(text: string) {
  const components = Object.values(nodeIcal.sync.parseICS(text))
  return components.filter((component) => component?.type === 'VEVENT')
}

describe('iCalendar', () => {
  it('is a calendar with an event for each row', async () => {
    expect(await calendar(tea)).toBe(
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:-//tt//Time entries//EN',
        'BEGIN:VEVENT',
        'UID:time-entry-7@tt',
        'DTSTAMP:20240402T080000Z',
        'DTSTART:20240331T003000Z',
        'DTEND:20240331T015400Z',
        'SUMMARY:Acme / Website / Design',
        'DESCRIPTION:Tea\\, cakes\\; and\\ntalk',
        'CATEGORIES:Acme,Tea\\, cakes',
        'CREATED:20240401T080000Z',
        'LAST-MODIFIED:20240402T080000Z',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ].join('\r\n'),
    )
  })

  it('is a calendar without events when there are no rows', async () => {
    expect(await calendar()).toBe(
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//tt//Time entries//EN\r\nEND:VCALENDAR\r\n',
    )
  })

  it('omits missing values, and an end that is not after the start', async () => {
    const bare = {
      ...tea,
      end: tea.start,
      created: undefined,
      modified: undefined,
      description: '',
      categories: [],
    }
    const lines = (await calendar(bare)).split('\r\n')
    expect(
      lines.filter((line) => /^(DTEND|CREATED|LAST-MODIFIED|DESCRIPTION|CATEGORIES|STATUS)/.test(line)),
    ).toEqual([])
    expect(await eventsIn(lines.join('\r\n'))).toHaveLength(1)
  })

  it('marks a running entry as tentative', async () => {
    const [event] = await eventsIn(await calendar({ ...tea, isTentative: true }))
    expect(event).toMatchObject({ status: 'TENTATIVE' })
  })

  // The other parser reads a backslash before an n as a newline, because it decodes one kind of escape after another.
  it('escapes a backslash', async () => {
    const { backslashes = '' } = specialTexts
    expect(await calendar({ ...tea, summary: backslashes })).toContain('SUMMARY:C:\\\\new\\\\table\r\n')
  })

  const readable = Object.entries(specialTexts).filter(([name]) => name !== 'backslashes')

  test.each(readable)('preserves %s in summary, description and categories', async (_, value) => {
    const text = await calendar({ ...tea, summary: value, description: value, categories: [value] })
    const expected = value.replace(/\r\n?/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '\ufffd')
    const [event] = await eventsIn(text)
    // The other parser removes blanks around a value.
    expect(String((event as { summary?: unknown }).summary ?? '').trim()).toBe(expected.trim())
    expect(String((event as { description?: unknown }).description ?? '').trim()).toBe(expected.trim())
    expect(text.replace(/\r\n/g, '')).not.toMatch(/(?!\t)\p{Cc}/u)
  })

  it('has lines of at most 75 octets, never folded within a character', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
      fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
    )
    await fc.assert(
      fc.asyncProperty(anyText, async (description) => {
        const written = Buffer.from(await calendar({ ...tea, description }))
        const lines = written.toString('latin1').split('\r\n')
        for (const line of lines) {
          expect(line.length).toBeLessThanOrEqual(75)
          // A line folded within a character would change the text.
          const octets = Buffer.from(line, 'latin1')
          expect(Buffer.from(octets.toString()).equals(octets)).toBe(true)
        }
      }),
    )
  })

  it('is rejected for a list without times', async () => {
    await expect(joinChunks(renderList(noteView, [], 'ical', options))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('iCalendar'),
    })
  })

  it('of a long list is written in few chunks of whole lines', { tags: 'slow' }, async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ ...tea, uid: `time-entry-${index}@tt` }))
    let chunks = 0
    let events = 0
    for await (const chunk of renderList(view, many, 'ical', options)) {
      chunks++
      events += chunk.split('BEGIN:VEVENT\r\n').length - 1
      expect(chunk.endsWith('\r\n')).toBe(true)
    }
    expect([events, chunks < 100]).toEqual([many.length, true])
  })
})
