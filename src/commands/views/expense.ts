import { expenseJson, type NamedExpense } from '../../tracking/entries/expenses/expense.js'
import type { Style, View } from '../../ui/view.js'
import { emptyList } from './empty-list.js'
import { invoiceMark } from './entry.js'

export const expenseView: View<NamedExpense> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'spent_on', title: 'Day' },
    { key: 'amount', title: 'Amount', align: 'right', isFigure: true },
    { key: 'currency', title: 'Currency' },
    { key: 'expense_type', title: 'Type', canShrink: true },
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'notes', title: 'Notes', canShrink: true, text: notesText },
  ],
  json: expenseJson,
  optional: ['local_id'],
  empty: emptyList('expenses', 'tt expenses add 12.50', 'adds one'),
}

function notesText({ pending, invoice, wire }: NamedExpense, style: Style): string {
  return [pending && style.yellow('pending'), invoiceMark(invoice, style), wire.notes]
    .filter(Boolean)
    .join('  ')
}
