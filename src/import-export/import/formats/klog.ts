import type { ImportFormat } from '../format.js'
import { KlogRecordReader } from '../klog/record-reader.js'
import { recordHeader } from '../klog/record-syntax.js'
import { lineBatches } from '../source/lines.js'
import { requireFormat } from '../source/sample.js'

/**
 * klog (file format specification 1.4): records with a date, and indented ranges and durations. It has no projects; the tags
 * `#client=…`, `#project=…` and `#task=…` are names. The tags of a record belong to each of its entries, its
 * text to those without a summary or to the first one.
 */
export const klog: ImportFormat = {
  name: 'klog',
  detect: ({ lines }) => recordHeader.test(lines.find((line) => line.trim() !== '') ?? ''),
  async *read(source, options) {
    await requireFormat(source, klog)
    const reader = new KlogRecordReader(options)
    let record: { line: number; lines: string[] } | undefined
    for await (const { first, lines } of lineBatches(source)) {
      for (const [index, line] of lines.entries()) {
        if (line.trim() !== '') {
          record ??= { line: first + index, lines: [] }
          record.lines.push(line)
        } else if (record) {
          yield* reader.read(record.line, record.lines)
          record = undefined
        }
      }
    }
    if (record) yield* reader.read(record.line, record.lines)
  },
}
