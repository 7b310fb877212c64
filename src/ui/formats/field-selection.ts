import { TtError } from '../../lib/errors.js'
import type { View } from '../view.js'

/**
 * Parses the value of `--fields`: keys separated by commas, in the order of the output.
 *
 * Throws TtError `usage` for an empty or repeated key.
 */
export function parseFields(text: string): string[] {
  const keys = text.split(',').map((key) => key.trim())
  if (keys.includes('')) {
    throw new TtError('usage', `--fields has an empty key: "${text}".`, {
      hint: 'Example: --fields id,notes.',
    })
  }
  const seen = new Set<string>()
  const repeated = keys.find((key) => seen.size === seen.add(key).size)
  if (repeated !== undefined) {
    throw new TtError('usage', `--fields contains "${repeated}" twice.`, { hint: 'Use each key once.' })
  }
  return keys
}

/**
 * Returns the view with only the given keys, in their order. A key without a column gets a plain one; a key that a row lacks
 * is null in its JSON. Groups and the footer remain; the sentence for one record does not.
 *
 * Throws TtError `usage` for a key that neither a column nor any row has. Without rows every key is accepted, because the
 * keys without a column are known from rows only.
 */
export function withFields<Row>(view: View<Row>, rows: readonly Row[], fields: readonly string[]): View<Row> {
  checkKeys(view, rows, fields, { option: '--fields' })
  const { line: _, csvColumns: __, ...rest } = view
  return {
    ...rest,
    columns: fields.map(
      (key) => view.columns.find((column) => column.key === key) ?? { key, title: key, canShrink: true },
    ),
    json(row) {
      const record = view.json(row)
      return Object.fromEntries(fields.map((key) => [key, record[key] ?? null]))
    },
  }
}

/**
 * Throws TtError `usage`, naming the option, for a key that is not in the view, in any row or in `others`. Without rows every
 * key is accepted.
 */
export function checkKeys<Row>(
  view: View<Row>,
  rows: readonly Row[],
  keys: readonly string[],
  { option, others = [] }: { option: string; others?: readonly string[] },
) {
  const known = new Set([...view.columns.map((column) => column.key), ...(view.optional ?? []), ...others])
  const unknown = new Set(keys.filter((key) => !known.has(key)))
  for (const row of rows) {
    if (unknown.size === 0) return // Usually after the first row, so that a long list is not traversed twice.
    for (const key of Object.keys(view.json(row))) {
      known.add(key)
      unknown.delete(key)
    }
  }
  if (rows.length === 0 || unknown.size === 0) return
  const missing = [...unknown].map((key) => `"${key}"`).join(', ')
  throw new TtError('usage', `${option}: unknown field ${missing}.`, {
    hint: `Available: ${[...known].join(', ')}.`,
  })
}
