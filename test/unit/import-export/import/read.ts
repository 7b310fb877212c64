import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { detectFormat } from '../../../../src/import-export/import/detect-format.js'
import {
  invalidRowText,
  type ReadOptions,
  type SourceEntry,
  type SourceRow,
} from '../../../../src/import-export/import/format.js'
import { type FormatName, formats } from '../../../../src/import-export/import/formats.js'
import { type TextSource, textSourceOf } from '../../../../src/import-export/import/source/text-source.js'

const defaults: ReadOptions = { workStartMinutes: 9 * 60, now: new Date('2025-01-01T00:00:00Z') }

/** Returns a source with the text in one piece. */
export const source = (text: string, name = 'file.txt') => textSourceOf(name, text)

/** Returns the source of a fixture in pieces of 100 characters, so that entries extend over several. */
export function fixture(name: string): TextSource {
  const text = readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
  return textSourceOf(name, ...(text.match(/[\s\S]{1,100}/g) ?? []))
}

/** Returns what a format reads. */
export async function read(
  format: FormatName,
  text: string | TextSource,
  options: Partial<ReadOptions> = {},
): Promise<SourceRow[]> {
  const given = typeof text === 'string' ? source(text) : text
  const rows: SourceRow[] = []
  const { read } = await formats[format].load()
  for await (const row of read(given, { ...defaults, ...options })) rows.push(row)
  return rows
}

/** Returns the entries of a text, which has no invalid rows. */
export async function entries(...input: Parameters<typeof read>): Promise<SourceEntry[]> {
  const rows = await read(...input)
  expect(rows.filter(({ kind }) => kind === 'invalid')).toEqual([])
  return rows.filter((row) => row.kind === 'entry')
}

/** Returns the entries as texts such as "1: 2024-05-01T07:30:00Z – … Acme/Website/Design #tag Notes". */
export async function texts(...input: Parameters<typeof read>): Promise<string[]> {
  return (await read(...input)).map(rowText)
}

function rowText(row: SourceRow): string {
  if (row.kind === 'entry') return entryText(row)
  if (row.kind === 'invalid') return invalidRowText('file', row)
  return row.kind === 'skipped' ? `${row.line}: skipped: ${row.reason}` : row.message
}

function entryText({ line, start, end, client, project, task, tags, notes }: SourceEntry): string {
  const names = [client, project, task].filter((name) => name !== null).join('/')
  const words = [names, ...tags.map((tag) => `#${tag}`), notes].filter((word) => word !== '')
  return [`${line}: ${instant(start)} – ${end ? instant(end) : 'open'}`, ...words].join(' ')
}

const instant = (date: Date) =>
  date.toISOString().replace(/:00\.000Z$|\.000Z$/, (end) => (end.length > 5 ? 'Z' : 'sZ'))

/** Returns the name of the format that is detected. */
export async function detected(text: string | TextSource): Promise<FormatName> {
  return (await detectFormat(typeof text === 'string' ? source(text) : text)).name
}
