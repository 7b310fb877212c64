import type { Predicates } from '../../api-client/filter/query.js'

/** Returns the records that are not archived; all for a filter of `active`. */
export function withoutArchived<Row extends { active?: unknown }>(
  rows: readonly Row[],
  predicates: Predicates,
): Row[] {
  const isFiltered = Object.keys(predicates).some((name) => name.startsWith('active_'))
  return rows.filter(({ active }) => isFiltered || active !== false)
}
