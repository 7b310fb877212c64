import { invalidRowText } from '../../import-export/import/format.js'
import type { ImportPreview } from '../../import-export/importer/preview.js'
import type { Combination } from '../../import-export/importer/staging.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { ImportedFileJson, ImportJson } from '../../records/shapes/imports.js'
import { invalidCount } from './preview-text.js'
import type { FileImport } from './read-files.js'

/** What an import created; null for a dry run. */
export interface ImportResult {
  created: number
  updated: number
  /** The number of changes that are not sent yet, or were rejected by the service. */
  pending: number
  rejected: number
}

/** One file in JSON. */
export type FileRecord = ImportedFileJson

/** The JSON of `tt import`. */
export type ImportRecord = ImportJson

/** Returns the JSON of an import, with the sums of its files. */
export function toImportRecord(files: readonly FileRecord[], isDryRun: boolean): ImportRecord {
  const sum = (key: keyof ImportResult) =>
    files.reduce((total, { result }) => total + (result?.[key] ?? 0), 0)
  const totals = {
    created: sum('created'),
    updated: sum('updated'),
    pending: sum('pending'),
    rejected: sum('rejected'),
  }
  return { dry_run: isDryRun, ...totals, files: [...files] }
}

/** Returns the JSON of a file. */
export function toFileRecord(
  file: FileImport,
  preview: ImportPreview,
  result: ImportResult | null,
): FileRecord {
  const { entries, first, last, seconds, running, actions, created, matched, overlaps } = preview
  const { name, format, importer, rejected } = file
  const { reading } = importer
  return {
    file: name,
    format: format.name,
    entries,
    first: first && toRfc3339(first),
    last: last && toRfc3339(last),
    ...{ seconds, running, actions, created, matched },
    overlaps: {
      count: overlaps.count,
      examples: overlaps.examples.map((overlap) => ({
        line: overlap.line,
        time_start: toRfc3339(overlap.start),
        time_end: overlap.end && toRfc3339(overlap.end),
        entry: overlap.existing,
        entry_start: toRfc3339(overlap.existingStart),
        entry_end: overlap.existingEnd && toRfc3339(overlap.existingEnd),
      })),
    },
    combinations: importer.staging.combinations().map(toCombinationRecord),
    invalid: [
      ...reading.invalid.map((row) => {
        const { line, column, field, value, expectation } = row
        return { line, column, field, value, expectation, message: invalidRowText(name, row) }
      }),
      ...rejected.map(({ line, field, reason }) => ({
        ...{ line, column: null, field, value: null, expectation: null },
        message: `${name}:${line}: ${reason}`,
      })),
    ],
    invalid_count: invalidCount(file),
    skipped: reading.skipped,
    notes: reading.notes,
    people: reading.people,
    has_amounts: reading.hasAmounts,
    result,
  }
}

function toCombinationRecord({
  assignment,
  ...combination
}: Combination): ImportedFileJson['combinations'][number] {
  const { client, project, task, tags, entries, seconds } = combination
  const isNew = assignment?.kind === 'new'
  return {
    ...{ client, project, task, tags: [...tags], entries, seconds },
    task_link_id: assignment?.kind === 'existing' ? assignment.id : null,
    new_task_link: isNew
      ? { client: assignment.client, project: assignment.project, task: assignment.task }
      : null,
  }
}
