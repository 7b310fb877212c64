import { TtError } from '../../lib/errors.js'
import { escapeText } from '../text.js'
import { type View, valueText } from '../view.js'
import { tsvField } from './csv.js'
import { checkKeys } from './field-selection.js'

/** Literal text, or the name of a field. */
type Piece = { text: string } | { field: string }

/**
 * Yields a line for each row, formatted by the template: `{field}` is a JSON key or a template field of the view, `{{` and
 * `}}` are braces, `\n`, `\t` and `\\` are newline, tab and backslash.
 *
 * Control characters in values become visible on a terminal, and are escaped as in TSV elsewhere. Throws TtError `usage`,
 * before the first line, for an invalid template and an unknown field; without rows every field is accepted.
 */
export function* templateLines<Row>(
  view: View<Row>,
  rows: readonly Row[],
  template: string,
  isTerminal: boolean,
): Generator<string> {
  const pieces = parseTemplate(template)
  const templateFields = new Map((view.templateFields ?? []).map((field) => [field.key, field]))
  const fields = pieces.flatMap((piece) => ('field' in piece ? [piece.field] : []))
  checkKeys(view, rows, fields, { option: '--template', others: [...templateFields.keys()] })
  const onOneLine = isTerminal ? escapeText : tsvField
  for (const row of rows) {
    const record = view.json(row)
    const values = pieces.map((piece) => {
      if ('text' in piece) return piece.text
      return onOneLine(templateFields.get(piece.field)?.text(row) ?? valueText(record[piece.field]))
    })
    yield `${values.join('')}\n`
  }
}

const parts =
  /(?<brace>\{\{|\}\})|\{(?<field>[^{}]*)\}|\\(?<escaped>.?)|(?<plain>[^{}\\]+)|(?<unmatched>[{}])/gsu
const escapes: Record<string, string> = { n: '\n', t: '\t', '\\': '\\' }

/** Throws TtError `usage` for a template that is empty, or contains an unmatched brace or an unknown escape sequence. */
function parseTemplate(template: string): Piece[] {
  if (template === '') throw invalidTemplateError('it is empty')
  return [...template.matchAll(parts)].map(({ groups = {} }): Piece => {
    const { brace, field, escaped, plain, unmatched } = groups
    if (field !== undefined) return { field: field.trim() }
    if (unmatched !== undefined)
      throw invalidTemplateError(unmatched === '{' ? '"{" is not closed' : '"}" has no opening brace')
    if (escaped === undefined) return { text: brace?.slice(1) ?? plain ?? '' }
    const text = escapes[escaped]
    if (text === undefined) throw invalidTemplateError(`"\\${escaped}" is not an escape sequence`)
    return { text }
  })
}

function invalidTemplateError(reason: string): TtError {
  return new TtError('usage', `--template is invalid: ${reason}.`, {
    hint: "Example: '{from} {label}'. {{ and }} are braces; \\n, \\t and \\\\ are newline, tab and backslash.",
  })
}
