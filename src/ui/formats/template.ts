import { TtError } from '../../lib/errors.js'
import { escapeText } from '../text.js'
import { type View, valueText } from '../view.js'
import { tsvField } from './delimited.js'
import { checkKeys } from './fields.js'

/** Literal text, or the name of a field. */
type Piece = { text: string } | { field: string }

/**
 * A line for each row as the template says: `{field}` stands for a key of its JSON or a word of the view, `{{` and
 * `}}` for braces, `\n`, `\t` and `\\` for newline, tab and backslash.
 *
 * No value breaks its line: on a terminal control characters are made visible, and elsewhere tab, newline, carriage
 * return and backslash are escaped as in TSV. Throws TtError `usage`, before the first line, for a template that
 * cannot be read and for a field that there is not; without rows any field passes.
 */
export function* templateLines<Row>(
  view: View<Row>,
  rows: readonly Row[],
  template: string,
  isTerminal: boolean,
): Generator<string> {
  const pieces = parseTemplate(template)
  const words = new Map((view.templateFields ?? []).map((word) => [word.key, word]))
  const fields = pieces.flatMap((piece) => ('field' in piece ? [piece.field] : []))
  checkKeys(view, rows, fields, { option: '--template', others: [...words.keys()] })
  const onOneLine = isTerminal ? escapeText : tsvField
  for (const row of rows) {
    const record = view.json(row)
    const written = pieces.map((piece) => {
      if ('text' in piece) return piece.text
      return onOneLine(words.get(piece.field)?.text(row) ?? valueText(record[piece.field]))
    })
    yield `${written.join('')}\n`
  }
}

const parts = /(?<brace>\{\{|\}\})|\{(?<field>[^{}]*)\}|\\(?<escaped>.?)|(?<plain>[^{}\\]+)|(?<stray>[{}])/gsu
const escapes: Record<string, string> = { n: '\n', t: '\t', '\\': '\\' }

/** Throws TtError `usage` for a template that is empty, or has a brace or a backslash that means nothing. */
function parseTemplate(template: string): Piece[] {
  if (template === '') throw unreadable('it is empty')
  return [...template.matchAll(parts)].map(({ groups = {} }): Piece => {
    const { brace, field, escaped, plain, stray } = groups
    if (field !== undefined) return { field: field.trim() }
    if (stray !== undefined) throw unreadable(stray === '{' ? '"{" is never closed' : '"}" was never opened')
    if (escaped === undefined) return { text: brace?.slice(1) ?? plain ?? '' }
    const text = escapes[escaped]
    if (text === undefined) throw unreadable(`"\\${escaped}" means nothing`)
    return { text }
  })
}

function unreadable(reason: string): TtError {
  return new TtError('usage', `--template cannot be read: ${reason}.`, {
    hint: "Write it like '{from} {label}'. {{ and }} stand for braces, \\n, \\t and \\\\ for newline, tab and backslash.",
  })
}
