import { TtError } from '../../lib/errors.js'
import type { ImportFormat } from './format.js'
import { type FormatName, formatNames } from './format-names.js'
import { clockify } from './formats/clockify.js'
import { generic } from './formats/generic.js'
import { harvest } from './formats/harvest.js'
import { ical } from './formats/ical.js'
import { klog } from './formats/klog.js'
import { solidtime } from './formats/solidtime.js'
import { timeclock } from './formats/timeclock.js'
import { timewarrior } from './formats/timewarrior.js'
import { toggl } from './formats/toggl.js'
import { tt } from './formats/tt.js'
import { watson } from './formats/watson.js'
import { describeSample, hasNoEntries, readSample } from './source/sample.js'
import type { TextSource } from './source/text-source.js'

export const formats: Readonly<Record<FormatName, ImportFormat>> = {
  timewarrior,
  watson,
  klog,
  timeclock,
  toggl,
  clockify,
  harvest,
  solidtime,
  ical,
  tt,
  generic,
}

/**
 * Returns the format of a text, detected from its beginning.
 *
 * Throws TtError `usage` if the text contains no entries or has another format; the message shows its columns or its first
 * line.
 */
export async function detectFormat(source: TextSource): Promise<ImportFormat> {
  const sample = await readSample(source)
  const found = formatNames.map((name) => formats[name]).find((format) => format.detect(sample))
  if (found) return found
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
