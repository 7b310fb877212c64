import type { Predicates } from '../filter/query.js'
import type { Expense } from '../types.js'
import { standardName } from './date-field-names.js'

const matcher = /_(eq|gteq|lt|cont)$/

/** Returns the predicates on the date of an expense, under the name `spent_on`, and all others. */
export function splitByDate(predicates: Predicates): { onDate: Predicates; others: Predicates } {
  const [onDate, others]: [Predicates, Predicates] = [{}, {}]
  for (const [key, value] of Object.entries(predicates))
    (isOn(key, standardName) ? onDate : others)[key] = value
  return { onDate, others }
}

/** Returns the predicates with those on the field `from` changed to the field `to`. */
export function renamePredicates(predicates: Predicates, from: string, to: string): Predicates {
  if (from === to) return predicates
  return Object.fromEntries(
    Object.entries(predicates).map(([key, value]) =>
      isOn(key, from) ? [`${to}${key.slice(from.length)}`, value] : [key, value],
    ),
  )
}

/** Whether the date of an expense matches the predicates. Dates are compared as text. */
export function matchesDate({ spent_on: day }: Expense, predicates: Predicates): boolean {
  return Object.entries(predicates).every(([key, operand]) => {
    if (typeof day !== 'string' || operand === null) return (day ?? null) === operand && key.endsWith('_eq')
    const text = String(operand)
    if (key.endsWith('_eq')) return day === text
    if (key.endsWith('_cont')) return day.includes(text)
    return key.endsWith('_gteq') ? day >= text : day < text
  })
}

function isOn(key: string, field: string): boolean {
  return key.replace(matcher, '') === field
}
