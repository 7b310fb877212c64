import type { View } from '../../ui/view.js'

/** Records of the database as an administrator sees them: the fields named, in this order. */
export function recordView<Row extends object>(fields: Record<string, string>, empty: string): View<Row> {
  return {
    columns: Object.entries(fields).map(([key, title]) => ({ key, title })),
    json: (row) => Object.fromEntries(Object.entries(row)),
    empty,
  }
}
