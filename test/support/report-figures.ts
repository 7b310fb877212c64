import type { ExpectedFigure } from './expected-figures.js'

/** A group in the JSON of a report. */
export interface ReportGroup {
  key: string | null
  seconds: number
  rounded_seconds: number
  count: number
  amounts: { currency: string; amount: string }[]
  groups: ReportGroup[]
}

export const unitsOf = (amount: string) => BigInt(amount.replace('.', ''))

export const unitsByCurrency = ({ amounts }: Pick<ReportGroup, 'amounts'>): [string, bigint][] =>
  amounts.map(({ currency, amount }) => [currency, unitsOf(amount)])

/**
 * Returns the figures of the groups at a depth by their names, with the keys of `sumParts`; those of projects that share a
 * name are added up.
 */
export function figuresByName(groups: readonly ReportGroup[], depth: number): Map<string, ExpectedFigure> {
  const figures = new Map<string, ExpectedFigure>()
  const addAll = (groups: readonly ReportGroup[], path: readonly (string | null)[]) => {
    for (const { key, groups: below, seconds, rounded_seconds, count, amounts } of groups) {
      const names = [...path, key]
      if (names.length < depth) {
        addAll(below, names)
        continue
      }
      const name = JSON.stringify(names)
      const sum = figures.get(name) ?? { seconds: 0, rounded: 0, count: 0, amounts: {} }
      sum.seconds += seconds
      sum.rounded += rounded_seconds
      sum.count += count
      for (const [currency, units] of unitsByCurrency({ amounts }))
        sum.amounts[currency] = (sum.amounts[currency] ?? 0n) + units
      figures.set(name, sum)
    }
  }
  addAll(groups, [])
  return figures
}
