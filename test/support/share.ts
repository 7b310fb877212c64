import { chooseSeed, SeededRandom } from './seeded-random.js'

/**
 * Returns the rows of a table that this run tests: all, or the part that `TT_SHARE` says, above 0 to 1, rounded up, chosen
 * at random and in their order. For tables that take long together, and whose rows differ only in their data or in one
 * detail, such as a size.
 */
export function share<Row>(title: string, rows: readonly Row[]): readonly Row[] {
  const part = Number(process.env.TT_SHARE || 1)
  if (!(part > 0 && part <= 1)) throw new Error(`TT_SHARE is ${part}, not a number above 0 to 1.`)
  if (part === 1) return rows
  const count = Math.ceil(rows.length * part)
  const seed = chooseSeed(`${title}, ${count} of ${rows.length}, TT_SHARE=${part}`)
  const random = new SeededRandom(seed)
  const chosen = [...rows]
  while (chosen.length > count) chosen.splice(random.between(0, chosen.length - 1), 1)
  return chosen
}
