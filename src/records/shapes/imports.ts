import { z } from 'zod'
import { exportFormatNames } from '../export-formats.js'
import { count, flag, id, name, seconds, text, time } from './values.js'

const resultKeys = {
  created: count,
  updated: count,
  pending: count.describe('The number of changes that are not sent yet.'),
  rejected: count.describe('The number of changes that the service rejected.'),
}
const namesByKind = z.object({ clients: z.array(name), projects: z.array(name), tasks: z.array(name) })

const file = z
  .object({
    file: text,
    format: text,
    entries: count,
    first: time.nullable(),
    last: time.nullable(),
    seconds: seconds.describe('Whole seconds of the entries that are not running.'),
    running: count,
    actions: z.object({
      create: count,
      unchanged: count.describe('Already imported.'),
      changed: count.describe('Changed in tt since the import.'),
      update: count.describe('Changed in the file since the last import.'),
      deleted: count.describe('Deleted in tt since the import.'),
      invoiced: count.describe('Deleted in tt, but on an invoice.'),
      equal: count.describe('An equal entry exists.'),
      second_timer: count.describe('Without an end while another timer is running.'),
    }),
    created: namesByKind.describe('Names that the import creates.'),
    matched: namesByKind.describe('Names that exist.'),
    overlaps: z.object({
      count,
      examples: z.array(
        z.object({
          line: z.int(),
          time_start: time,
          time_end: time.nullable(),
          entry: text,
          entry_start: time,
          entry_end: time.nullable(),
        }),
      ),
    }),
    combinations: z.array(
      z.object({
        client: name.nullable(),
        project: name.nullable(),
        task: name.nullable(),
        tags: z.array(text),
        entries: count,
        seconds,
        task_link_id: id.nullable(),
        new_task_link: z
          .object({ client: name.nullable(), project: name.nullable(), task: name.nullable() })
          .nullable(),
      }),
    ),
    invalid: z.array(
      z.object({
        line: z.int(),
        column: z.union([z.int(), z.string()]).nullable(),
        field: text.nullable(),
        value: text.nullable(),
        expectation: text.nullable(),
        message: text,
      }),
    ),
    invalid_count: count,
    skipped: z.array(z.object({ reason: text, count })),
    notes: z.array(text),
    people: z.array(z.object({ name, entries: count })),
    has_amounts: flag,
    result: z.object(resultKeys).nullable().describe('null for a dry run.'),
  })
  .meta({ id: 'ImportedFile' })
export type ImportedFileJson = z.infer<typeof file>

export const importRecord = z
  .object({ dry_run: flag, ...resultKeys, files: z.array(file) })
  .meta({ id: 'Import' })
export type ImportJson = z.infer<typeof importRecord>

export const writtenExport = z
  .object({
    format: z.enum(exportFormatNames),
    entries: count,
    files: z.array(text),
    running_omitted: count,
    overlaps: count,
  })
  .meta({ id: 'Export' })
export type WrittenExportJson = z.infer<typeof writtenExport>
