import type { RowWriter } from '../../ui/formats/row-writer.js'
import type { ExportedEntry, ExportFiles } from './export-format.js'

/** Yields the text of a file, in a chunk for each batch. */
export async function* exportText<Row>(
  writer: RowWriter<Row>,
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  let text = writer.head
  for await (const batch of batches) {
    for (const row of batch) text += writer.row(row)
    yield text
    text = ''
  }
  yield text + writer.end()
}

/** Yields the text of several files: for each batch, the text to append to each file. */
export async function* exportFileTexts(
  { nameOf, textOf }: ExportFiles,
  batches: AsyncIterable<readonly ExportedEntry[]>,
): AsyncGenerator<Map<string, string>> {
  for await (const batch of batches) {
    const texts = new Map<string, string>()
    for (const entry of batch) {
      const name = nameOf(entry)
      texts.set(name, (texts.get(name) ?? '') + textOf(entry))
    }
    yield texts
  }
}
