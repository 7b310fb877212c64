import {
  type ExportedEntry,
  type ExportFormat,
  exportText,
} from '../../../../src/import-export/export/export-format.js'
import { ExportFindings, expressibleEntries } from '../../../../src/import-export/export/findings.js'
import { toEntry } from '../../../../src/tracking/entries/entry.js'
import { joinChunks } from '../../ui/special-texts.js'
import { linksOf } from '../importer/links.js'

/** The time at which the tests export. */
export const now = new Date('2024-05-08T12:00:00Z')

/** Returns an entry of client/project/task, or of project/task; `end` is null for a running one. */
export function exportedEntry(
  start: string,
  end: string | null,
  { path = 'Acme/Website/Design', notes = '', isBillable = true, id = 1 } = {},
): ExportedEntry {
  const record = { id, time_start: start, time_end: end, notes, task_link_id: path === '' ? null : 1 }
  const [link] = path === '' ? [] : linksOf(path)
  return {
    ...toEntry({ record: { ...record, updated_at: now.toISOString() }, pending: false }, link),
    uid: `time-entry-${id}@example.com`,
    isBillable,
  }
}

/** Returns the text of entries in a format, and what the format cannot express. */
export async function write(
  format: ExportFormat,
  entries: readonly ExportedEntry[],
): Promise<{ text: string; findings: ExportFindings }> {
  const findings = new ExportFindings()
  async function* batches() {
    for (const entry of entries) yield [entry]
  }
  const writer = await format.writer({ view: { columns: [], json: () => ({}), empty: '' }, raw: false })
  const expressible = expressibleEntries(format, batches(), { findings, now })
  return { text: await joinChunks(exportText(writer, expressible)), findings }
}

/** Returns the text of entries with these arguments of `exportedEntry` in a format. */
export async function textIn(
  format: ExportFormat,
  entries: readonly Parameters<typeof exportedEntry>[],
): Promise<string> {
  const exported = entries.map((given) => exportedEntry(...given))
  return (await write(format, exported)).text
}
