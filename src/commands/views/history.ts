import { formatTime, toRfc3339 } from '../../calendar/time.js'
import type { HistoryEntry } from '../../tracking/history.js'
import type { View } from '../../ui/view.js'

/** A change that can be undone, with the number that `tt undo` reaches it by. */
export interface Undoable {
  n: number
  entry: HistoryEntry
}

export function historyView(now: Date): View<Undoable> {
  return {
    columns: [
      { key: 'n', title: 'N', align: 'right' },
      { key: 'at', title: 'Typed', text: ({ entry }) => formatTime(entry.at, now) },
      { key: 'what', title: 'Change', shrink: true },
    ],
    json: ({ n, entry }) => ({
      n,
      at: toRfc3339(entry.at),
      what: entry.what,
      records: entry.steps.map(({ kind, record }) => ({ kind, id: record })),
    }),
    empty: 'There is nothing to undo.',
  }
}
