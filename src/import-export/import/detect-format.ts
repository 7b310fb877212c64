import { TtError } from '../../lib/errors.js'
import type { ImportFormat } from './format.js'
import { formatNames, formats } from './formats.js'
import { describeSample, hasNoEntries, readSample } from './source/sample.js'
import type { TextSource } from './source/text-source.js'

/**
 * Returns the format of a text, detected from its beginning.
 *
 * Throws TtError `usage` if the text contains no entries or has another format; the message shows its columns or its first
 * line.
 */
export async function detectFormat(source: TextSource): Promise<ImportFormat> {
  const sample = await readSample(source)
  for (const name of formatNames) {
    const format = await formats[name].load()
    if (format.detect(sample)) return format
  }
  if (hasNoEntries(sample)) {
    throw new TtError('usage', `${source.name} contains no entries.`, { hint: 'Export the entries again.' })
  }
  const translated =
    'If the names of the columns are translated, set the language of the service to English and export again. '
  const isCsv = sample.header.length > 1
  throw new TtError('usage', `The format of ${source.name} is unknown: it ${describeSample(sample)}.`, {
    hint: `${isCsv ? translated : ''}Known formats: ${formatNames.join(', ')}.`,
    nextStep: isCsv ? { action: 'set_import_option', option: 'columns' } : undefined,
  })
}
