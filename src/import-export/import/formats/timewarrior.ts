import {
  type ImportFormat,
  InvalidValueError,
  invalidRow,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import { jsonElements, optionalText, recordOf, texts } from '../json.js'
import { requireFormat } from '../source/sample.js'
import { lineBatches, type TextSource } from '../source/text-source.js'

const timeExpectation = 'a UTC time such as 20240501T073000Z'
const basicTime = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/**
 * Timewarrior: the JSON of `timew export`, and data files of version 1.4, whose lines its `Interval::serialize` writes. An
 * interval has tags and an annotation, no project. Its ID is its position, so that it is no identity.
 */
export const timewarrior: ImportFormat = {
  name: 'timewarrior',
  detect({ json, lines }) {
    if (json === undefined)
      return /^inc( \d{8}T\d{6}Z|$)/.test(lines.find((line) => line.trim() !== '') ?? '')
    return 'start' in (json as object) && basicTime.test(String((json as { start: unknown }).start))
  },
  async *read(source) {
    const { json } = await requireFormat(source, timewarrior)
    yield* json === undefined ? readLines(source) : readJson(source)
  },
}

async function* readJson(source: TextSource): AsyncGenerator<SourceRow> {
  for await (const element of jsonElements(source)) {
    if (element.kind === 'invalid') {
      yield element
      continue
    }
    const { line, column, value } = element
    try {
      const record = recordOf(value)
      const [start, end] = [optionalText(record, 'start'), optionalText(record, 'end')]
      const notes = optionalText(record, 'annotation') ?? ''
      yield interval(line, { start, end, tags: texts(record.tags, 'tags'), notes })
    } catch (error) {
      yield invalidRow(error, line, column)
    }
  }
}

async function* readLines(source: TextSource): AsyncGenerator<SourceRow> {
  for await (const { first, lines } of lineBatches(source)) {
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue
      try {
        yield interval(first + index, parseLine(line))
      } catch (error) {
        yield invalidRow(error, first + index)
      }
    }
  }
}

interface Interval {
  start: string | null
  end: string | null
  tags: string[]
  notes: string
}

/** Parses `inc START - END # TAG "OTHER TAG" # "ANNOTATION"`, where all parts but the first are optional. */
function parseLine(line: string): Interval {
  const match = /^inc(?: (\S*Z))?(?: - (\S*Z))?(?: # ?(.*))?$/s.exec(line.trimEnd())
  if (!match)
    throw new InvalidValueError(line, 'an interval such as inc 20240501T073000Z - 20240501T083000Z # tag')
  const [, start = null, end = null, rest = ''] = match
  const words = wordsOf(rest)
  const separator = words.indexOf('#')
  const [tags, annotation] =
    separator < 0 ? [words, []] : [words.slice(0, separator), words.slice(separator + 1)]
  return { start, end, tags: tags.map(unquote), notes: annotation.map(unquote).join(' ') }
}

/** Returns the words of a line; a quoted text is one. */
function wordsOf(text: string): string[] {
  return text.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Returns the text of a word in quotation marks; other words have no escapes. */
function unquote(word: string): string {
  if (!/^".*"$/s.test(word) || word.length < 2) return word
  return word
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|(["\\/bfnrtv]))/g, (_, code?: string, letter = '') => {
      return code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16))
    })
}

function interval(line: number, { start, end, tags, notes }: Interval): SourceEntry {
  const from = parseBasicTime(start, 'start')
  const to = end === null ? null : parseBasicTime(end, 'end')
  if (to && to < from) throw new InvalidValueError(end ?? '', 'a time at or after the start', 'end')
  return sourceEntry({ line, start: from, end: to, tags, notes })
}

function parseBasicTime(text: string | null, field: string): Date {
  const [, year, month, day, hour, minute, second] = basicTime.exec(text ?? '') ?? []
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // Some engines read 30 February as 1 March.
  if (!Number.isNaN(time.getTime()) && time.getUTCDate() === Number(day)) return time
  throw new InvalidValueError(text ?? '', timeExpectation, field)
}
