import type { WireFields, WireRecord } from '../../api-client/types.js'
import { formatTime } from '../../lib/calendar/time.js'
import type { Link } from '../catalog/catalog.js'
import { type Entry, labelOf } from './entry.js'
import type { EntryChanges } from './entry-writer.js'

/** Returns what a change of an entry does, for its title: " (end 11:00 → 11:30, notes)"; nothing if all stays the same. */
export function changedEntryFields(
  entry: Entry,
  { start, end, link, notes }: Omit<EntryChanges, 'task'> & { link?: Link | undefined },
): string {
  const isSame = (one: Date | null, other: Date | null) => one?.getTime() === other?.getTime()
  const endText = (time: Date | null) => (time ? formatTime(time, entry.start) : 'running')
  return inParentheses([
    start &&
      !isSame(start, entry.start) &&
      `start ${arrow(formatTime(entry.start, start), formatTime(start, entry.start))}`,
    end !== undefined && !isSame(end, entry.end) && `end ${arrow(endText(entry.end), endText(end))}`,
    link && link.label !== labelOf(entry) && `task ${arrow('', link.label)}`,
    notes !== undefined && notes !== entry.notes && 'notes',
  ])
}

/** Returns what a change of an expense does, for its title: " (amount 1200 → 13 USD)"; nothing if all stays the same. */
export function changedExpenseFields(before: WireRecord, fields: WireFields): string {
  const after: Record<string, unknown> = { ...before, ...fields }
  const changed = Object.keys(fields).filter((name) => text(before[name]) !== text(after[name]))
  const hasCurrency = changed.includes('currency')
  const money = (record: Record<string, unknown>) => `${amountText(record.amount)} ${text(record.currency)}`
  return inParentheses([
    ...(hasCurrency ? [`amount ${arrow(money(before), money(after))}`] : []),
    ...changed.map((name) => {
      if (name === 'currency' || (name === 'amount' && hasCurrency)) return undefined
      if (name === 'amount')
        return (
          amountText(before.amount) !== amountText(after.amount) &&
          `amount ${arrow(amountText(before.amount), money(after))}`
        )
      return name in expenseFields
        ? expenseFields[name]
        : `${name === 'spent_on' ? 'date' : name} ${arrow(text(before[name]), text(after[name]))}`
    }),
  ])
}

/** The names of the fields of an expense whose values are IDs or long. */
const expenseFields: Readonly<Record<string, string>> = {
  notes: 'notes',
  expense_type_id: 'type',
  project_id: 'project',
}

function text(value: unknown): string {
  return String(value ?? '')
}

/** Returns an amount without the decimals of a whole number: 13 for "13.00". */
function amountText(amount: unknown): string {
  return text(amount).replace(/\.0+$/, '')
}

function arrow(before: string, after: string): string {
  return `${before} → ${after}`.trim()
}

function inParentheses(parts: readonly (string | false | undefined)[]): string {
  const texts = parts.filter((part) => typeof part === 'string')
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`
}
