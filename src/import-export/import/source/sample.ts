import { TtError } from '../../../lib/errors.js'
import { readHeader } from '../csv/csv-rows.js'
import { jsonElements } from '../json.js'
import { type TextSource, textSourceOf } from './text-source.js'

/** The beginning of a text, from which its format is detected. */
export interface Sample {
  text: string
  /** The first lines; the last one may be incomplete. */
  lines: string[]
  /** The first object or list in a JSON list, or of several JSON values; undefined if the text is not JSON. */
  json: unknown
  /** The names of the columns if the text is CSV: the first line. */
  header: readonly string[]
}

const sampleLength = 64 * 1024

/** Reads the beginning of a text. */
export async function readSample(source: TextSource): Promise<Sample> {
  let text = ''
  for await (const chunk of source.chunks()) {
    text += chunk
    if (text.length >= sampleLength) break
  }
  const sample = textSourceOf(source.name, text)
  const json = await firstElement(sample)
  const header = json === undefined ? await readHeader(sample) : []
  return { text, lines: text.split(/\r?\n/), json, header }
}

async function firstElement(source: TextSource): Promise<unknown> {
  for await (const element of jsonElements(source)) {
    const value = element.kind === 'value' ? element.value : undefined
    return typeof value === 'object' && value !== null ? value : undefined
  }
  return undefined
}

/** Whether the text is blank or an empty JSON list. */
export function hasNoEntries({ text }: Sample): boolean {
  return /^\s*(?:\[\s*\]\s*)?$/.test(text)
}

/** Returns what the text contains, to explain why it has no known format: "has the columns From, Until". */
export function describeSample({ header, lines }: Sample): string {
  if (header.length > 1) return `has the columns ${header.join(', ').slice(0, 300)}`
  const first = lines.find((line) => line.trim() !== '') ?? ''
  return `begins with ${JSON.stringify(first.slice(0, 100))}`
}

/** Returns the beginning of a text. Throws TtError `usage` if it does not have the format, unless it contains no entries. */
export async function requireFormat(
  source: TextSource,
  { name, detect }: { name: string; detect(sample: Sample): boolean },
): Promise<Sample> {
  const sample = await readSample(source)
  if (detect(sample) || hasNoEntries(sample)) return sample
  throw new TtError(
    'usage',
    `${source.name} does not have the format ${name}: it ${describeSample(sample)}.`,
    {
      nextStep: { action: 'set_import_option', option: 'format' },
    },
  )
}
