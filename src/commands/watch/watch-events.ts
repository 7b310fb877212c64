import { durationSeconds } from '../../lib/calendar/interval.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { WatchEventJson } from '../../records/shapes/watch.js'
import { type Entry, entryJson } from '../../tracking/entries/entry.js'
import type { ScreenMessage } from './frame.js'
import type { Connection } from './watch.js'
import { entriesOfToday, progressOf, runningEntry, type WatchState } from './watch-state.js'

/** One line of `tt watch --json`. */
export type WatchEvent = WatchEventJson

/** Returns the event with the current state. */
export function stateEvent(state: WatchState, connection: Connection, now: Date): WatchEvent {
  const running = runningEntry(state)
  const entries = entriesOfToday(state, now)
  const progress = progressOf(state, now)
  return {
    type: 'state',
    time: toRfc3339(now),
    timer: running ? entryJson(running, now) : null,
    entries: entries.map((entry) => entryJson(entry, now)),
    today_seconds: entries.reduce((sum, { part }) => sum + durationSeconds(part), 0),
    today_target_seconds: progress?.today.target ?? null,
    week_seconds: progress?.week.seconds ?? null,
    week_target_seconds: progress?.week.target ?? null,
    connection: connection.kind,
    pending_changes: state.pendingChanges,
  }
}

/**
 * Returns the events between two reads: first the stopped, changed and deleted entries, then the added and started ones. An
 * entry that has got its ID from the service is the same one.
 */
export function changeEvents(before: WatchState, after: WatchState, now: Date): WatchEvent[] {
  if (before.day !== after.day) return []
  const time = toRfc3339(now)
  const idOf = ({ id }: Entry) => after.assignedIds.get(String(id)) ?? String(id)
  const earlier = new Map(before.entries.map((entry) => [idOf(entry), entry]))
  const later = new Map(after.entries.map((entry) => [String(entry.id), entry]))
  const event = (
    type: 'started' | 'stopped' | 'added' | 'changed' | 'deleted',
    entry: Entry,
  ): WatchEvent => ({
    type,
    time,
    entry: entryJson(entry, now),
  })
  const ended = [...earlier].flatMap(([id, entry]) => {
    const now = later.get(id)
    if (!now) return [event('deleted', entry)]
    if (entry.end === null && now.end !== null) return [event('stopped', now)]
    return contentOf(entry) === contentOf(now) ? [] : [event('changed', now)]
  })
  const begun = [...later]
    .filter(([id]) => !earlier.has(id))
    .map(([, entry]) => event(entry.end === null ? 'started' : 'added', entry))
  return [...ended, ...begun]
}

/** Returns the event of a new connection; undefined for the local workspace. */
export function connectionEvent(connection: Connection, now: Date): WatchEvent | undefined {
  const time = toRfc3339(now)
  if (connection.kind === 'offline') return { type: 'offline', time, reason: connection.reason }
  return connection.kind === 'online' ? { type: 'online', time } : undefined
}

/** Returns the event of a warning or an error; undefined for other messages. */
export function messageEvent({ kind, text }: ScreenMessage, now: Date): WatchEvent | undefined {
  return kind === 'message' ? undefined : { type: kind, time: toRfc3339(now), message: text }
}

/**
 * Returns a text that is the same for two reads of an unchanged entry, from the service or from this machine, also while it
 * is running.
 */
export function contentOf(entry: Entry): string {
  const { updated_at: _updated, etag: _etag, local_id: _local, ...fields } = entryJson(entry, entry.start)
  return JSON.stringify(Object.entries(fields).sort())
}
