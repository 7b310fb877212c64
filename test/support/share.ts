import { chooseSeed, SeededRandom } from './seeded-random.js'

/**
 * Returns the rows of a table that this run tests: all, or with `TT_SHARE`, from 0 to 1, so many of them at random, in
 * their order. For tables that together take long, and whose rows differ only in their data.
 */
export function share<Row>(title: string, rows: readonly Row[]): readonly Row[] {
  const part = Number(process.env.TT_SHARE ?? 1)
  if (part >= 1) return rows
  const chosen = new SeededRandom(chooseSeed(title)).sample([...rows.keys()], Math.ceil(rows.length * part))
  return rows.filter((_, index) => chosen.includes(index))
}
