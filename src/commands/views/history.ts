import { formatTime, toRfc3339 } from '../../lib/calendar/time.js'
import type { HistoryEntry } from '../../outbox/history.js'
import type { HistoryChangeJson } from '../../records/shapes/entries.js'
import type { View } from '../../ui/view.js'

/** A change that can be undone or redone, with its number in `tt undo N` or `tt redo N`. */
export interface NumberedChange {
  n: number
  entry: HistoryEntry
}

export function historyView(now: Date, empty: string): View<NumberedChange> {
  return {
    columns: [
      { key: 'n', title: 'N', align: 'right' },
      { key: 'at', title: 'Time', text: ({ entry }) => formatTime(entry.at, now) },
      { key: 'what', title: 'Change', canShrink: true },
    ],
    json: ({ n, entry }): HistoryChangeJson => ({
      n,
      at: toRfc3339(entry.at),
      what: entry.title,
      records: entry.steps.map(({ kind, record }) => ({ kind, id: record })),
    }),
    empty,
  }
}

/** Returns a line for each change: "  1  12:04  Added Website / Design, 09:00". */
export function listChanges(changes: readonly NumberedChange[], now: Date): string {
  const width = String(changes.length).length
  return changes
    .map(({ n, entry }) => `  ${String(n).padStart(width)}  ${formatTime(entry.at, now)}  ${entry.title}`)
    .join('\n')
}
