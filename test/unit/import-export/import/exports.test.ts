import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ExportedEntry } from '../../../../src/import-export/export/export-format.js'
import { timewarrior } from '../../../../src/import-export/export/formats/timewarrior.js'
import type { SourceEntry } from '../../../../src/import-export/import/format.js'
import type { FormatName } from '../../../../src/import-export/import/formats.js'
import { tagsIn } from '../../../../src/lib/text/tags.js'
import type { ExportFormatName } from '../../../../src/records/export-formats.js'
import { inZoneAsync } from '../../lib/calendar/zone.js'
import { anyEntry, exported, restorable, restored } from './random-entries.js'
import { detected, entries } from './read.js'

const floor = (date: Date, ms: number) => new Date(Math.floor(date.getTime() / ms) * ms)
const oneLine = (text: string) => text.replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, ' ').trim()
const pathOf = ({ link }: ExportedEntry) =>
  [link?.client, link?.project, link?.task].flatMap((named) => (named ? [named.name] : []))
const tagsOf = (entry: ExportedEntry) => [...new Set([...pathOf(entry), ...tagsIn(entry.notes)])]

/** Checks that an export is detected and imported as `expected` says. Without changes of the clocks, times are exact. */
async function checkRoundTrip(
  format: ExportFormatName & FormatName,
  expected: (entry: ExportedEntry) => unknown,
  actual: (entry: SourceEntry) => unknown,
  textOf = (list: readonly ExportedEntry[]) => exported(format, list),
) {
  const finished = anyEntry.filter(({ end }) => end !== null)
  await inZoneAsync('UTC', () =>
    fc.assert(
      fc.asyncProperty(fc.array(finished, { minLength: 1, maxLength: 6 }), async (list) => {
        const sorted = list.toSorted((a, b) => a.start.getTime() - b.start.getTime())
        const text = await textOf(sorted)
        expect(await detected(text)).toBe(format)
        expect((await entries(format, text)).map(actual)).toEqual(sorted.map(expected))
      }),
    ),
  )
}

const floored = ({ start, end }: ExportedEntry, ms: number) => ({
  start: floor(start, ms),
  end: floor(end ?? start, ms),
})

/** Returns the start and end in whole seconds; the duration is rounded down. */
function wholeSeconds({ start, end }: ExportedEntry) {
  const from = floor(start, 1000)
  return { start: from, end: floor(new Date(from.getTime() + Number(end ?? start) - Number(start)), 1000) }
}

test.each(['toggl', 'clockify'] as const)(
  'an export as %s loses only fractions of seconds and outer white space',
  { tags: 'slow' },
  async (format) => {
    await checkRoundTrip(
      format,
      (entry) => ({
        ...{ ...restorable(entry), ...wholeSeconds(entry) },
        ...{ notes: trimmed(entry.notes), tags: tagsIn(entry.notes) },
      }),
      (entry) => ({ ...restored(entry), notes: trimmed(entry.notes), tags: entry.tags }),
    )
  },
)

/** Returns notes without white space around them, and without apostrophes: one before white space and a formula is ambiguous. */
const trimmed = (notes: string) => notes.replace(/^['\s]+|\s+$/g, '')

test('an export for Timewarrior loses fractions of seconds, and which tags are names', async () => {
  const dataFile = async (list: readonly ExportedEntry[]) =>
    list.map((entry) => timewarrior.files?.textOf(entry)).join('')
  for (const textOf of [undefined, dataFile])
    await checkRoundTrip(
      'timewarrior',
      (entry) => ({
        ...floored(entry, 1000),
        notes: entry.notes,
        tags: tagsOf(entry),
      }),
      ({ start, end, notes, tags }) => ({ start, end, notes, tags }),
      textOf,
    )
})

test('an export for Watson loses notes, and which tags are names', async () => {
  await checkRoundTrip(
    'watson',
    (entry) => ({
      ...floored(entry, 1000),
      project: entry.link?.project?.name,
      tags: tagsOf(entry).filter((tag) => tag !== entry.link?.project?.name),
    }),
    ({ start, end, project, tags }) => ({ start, end, project, tags }),
  )
})

test('an export for timeclock loses fractions of seconds, lines of notes, and colons in names', {
  tags: 'slow',
}, async () => {
  const account = (entry: ExportedEntry) =>
    pathOf(entry).map((name) => oneLine(name).replace(/\s+/g, ' ').replaceAll(':', '-'))
  await checkRoundTrip(
    'timeclock',
    (entry) => ({
      ...floored(entry, 1000),
      names: account(entry),
      notes: oneLine(entry.notes),
    }),
    ({ client, project, task, start, end, notes }) => {
      return { start, end, notes, names: [client, project, task].filter((name) => name !== null) }
    },
  )
})

test('an export for klog loses seconds, and empty lines and indentation of notes', {
  tags: 'slow',
}, async () => {
  const name = (text: string | undefined) => {
    const plain = text?.replace(/\s+/g, ' ')
    return (plain?.includes('"') ? plain.replaceAll("'", '’') : plain) ?? null
  }
  await checkRoundTrip(
    'klog',
    (entry) => ({
      ...floored(entry, 60_000),
      names: [entry.link?.client, entry.link?.project, entry.link?.task].map((named) => name(named?.name)),
      lines: linesOf(entry.notes),
    }),
    ({ start, end, client, project, task, notes }) => {
      return { start, end, names: [client, project, task], lines: linesOf(notes) }
    },
  )
})

const linesOf = (notes: string) =>
  notes
    .split(/[\r\n\u0085\u2028\u2029]/)
    .map((line) => line.trim())
    .filter(Boolean)
