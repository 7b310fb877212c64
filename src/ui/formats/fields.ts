import { TtError } from '../../lib/errors.js'
import type { View } from '../view.js'

/**
 * Reads what was typed after `--fields`: keys between commas, in the order of the output.
 *
 * Throws TtError `usage` for an empty or repeated key.
 */
export function parseFields(text: string): string[] {
  const keys = text.split(',').map((key) => key.trim())
  if (keys.includes('')) {
    throw new TtError('usage', `--fields has an empty key: "${text}".`, {
      hint: 'Write it like --fields id,notes.',
    })
  }
  const seen = new Set<string>()
  const repeated = keys.find((key) => seen.size === seen.add(key).size)
  if (repeated !== undefined) {
    throw new TtError('usage', `--fields names "${repeated}" twice.`, { hint: 'Name each key once.' })
  }
  return keys
}

/**
 * The view cut down to the given keys, in their order. A key without a column of its own gets a plain one; a
 * key that a row lacks is null in its JSON. Group and footer stay; the sentence for one record does not.
 *
 * Throws TtError `usage` for a key that neither a column nor any row has. Without rows any key passes, since
 * only rows tell which keys there are beside the columns.
 */
export function withFields<Row>(view: View<Row>, rows: readonly Row[], fields: readonly string[]): View<Row> {
  checkKeys(view, rows, fields, { option: '--fields' })
  const { line: _, ...rest } = view
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
 * Throws TtError `usage` that names the option for a key that neither a column nor any row has, that the view does not
 * know of, and that is none of the others. Without rows any key passes.
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
    if (unknown.size === 0) return // Mostly after the first row: a long list is not gone through twice.
    for (const key of Object.keys(view.json(row))) {
      known.add(key)
      unknown.delete(key)
    }
  }
  if (rows.length === 0 || unknown.size === 0) return
  const missing = [...unknown].map((key) => `"${key}"`).join(', ')
  throw new TtError('usage', `${option}: there is no ${missing}.`, {
    hint: `There are: ${[...known].join(', ')}.`,
  })
}
