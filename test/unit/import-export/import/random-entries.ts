import fc from 'fast-check'
import { entryView, eventOf } from '../../../../src/commands/views/entry.js'
import {
  type ExportedEntry,
  exportText,
  loadFormat,
} from '../../../../src/import-export/export/export-format.js'
import type { SourceEntry } from '../../../../src/import-export/import/format.js'
import { DurationDisplay } from '../../../../src/lib/calendar/duration-display.js'
import type { ExportFormatName } from '../../../../src/records/export-formats.js'
import { type Named, toLink } from '../../../../src/tracking/catalog/links.js'
import { type Entry, toEntry } from '../../../../src/tracking/entries/entry.js'
import { joinChunks } from '../../ui/special-texts.js'

const now = new Date('2024-12-01T00:00:00Z')

/** Texts with quotation marks, line endings, formulas and any other characters. */
const anyNotes = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'\'"=+-@,;#\t\n\r\u2028\\ aé') }),
)
const anyName = fc.string({ minLength: 1 }).filter((name) => name.trim() === name && name !== '')

/** Entries of 2024, also around the changes of the clocks, with the length in milliseconds. */
const anyTimes = fc
  .record({
    startMs: fc.oneof(
      fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2024, 10, 1) }),
      fc.integer({ min: Date.UTC(2024, 9, 26, 20), max: Date.UTC(2024, 9, 27, 4) }),
    ),
    lengthMs: fc.option(fc.integer({ min: 0, max: 30 * 3_600_000 })),
  })
  .map(({ startMs, lengthMs }) => ({
    start: new Date(startMs),
    end: lengthMs === null ? null : new Date(startMs + lengthMs),
  }))

/** Entries as they are exported. */
export const anyEntry: fc.Arbitrary<ExportedEntry> = fc
  .record({
    times: anyTimes,
    notes: anyNotes,
    names: fc.record({ client: fc.option(anyName), project: anyName, task: anyName }),
    id: fc.oneof(
      fc.nat(),
      fc.nat().map((id) => `~${id}`),
    ),
    externalId: fc.option(fc.string({ minLength: 1 })),
  })
  .map(({ times: { start, end }, notes, names, id, externalId }) => {
    const named = (name: string | null): Named | null => (name === null ? null : { id: 1, name })
    const [client, project, task] = [named(names.client), named(names.project), named(names.task)]
    const link = toLink({ id: 1, project_id: 1, task_id: 1 }, client, project, task)
    const record = {
      id,
      time_start: start.toISOString(),
      time_end: end?.toISOString() ?? null,
      notes,
      task_link_id: 1,
      external_id: externalId,
      created_at: '2024-05-01T07:30:00.123Z',
    }
    return { ...toEntry({ record, pending: false }, link), uid: `${id}@example.com`, isBillable: true }
  })

/** Returns the text of an export. */
export async function exported(format: ExportFormatName, list: readonly ExportedEntry[]): Promise<string> {
  const view = {
    ...entryView<ExportedEntry>({ now, durations: DurationDisplay.of('1h 24m') }),
    event: (entry: ExportedEntry) => eventOf(entry, entry.uid, now),
  }
  const writer = await (await loadFormat(format)).writer({ view, raw: false })
  return joinChunks(exportText(writer, batches(list)))
}

async function* batches(list: readonly ExportedEntry[]): AsyncGenerator<readonly ExportedEntry[]> {
  yield list
}

/** Returns what an import must restore of an exported entry. */
export function restorable({ start, end, notes, link }: Entry) {
  const [client = null, project = null, task = null] = [link?.client, link?.project, link?.task].map(
    (named) => named?.name,
  )
  return { start, end, client, project, task, notes }
}

/** Returns the same fields of an imported entry. */
export function restored({ start, end, client, project, task, notes }: SourceEntry) {
  return { start, end, client, project, task, notes }
}
