import type { WatchState } from '../../../../src/commands/watch/watch-state.js'
import { DurationDisplay } from '../../../../src/lib/calendar/duration-display.js'
import { toLink } from '../../../../src/tracking/catalog/links.js'
import { type Entry, toEntry } from '../../../../src/tracking/entries/entry.js'

/** Returns a task link with a client, a project and this task. */
export function linkNamed(task: string, id = 1, client = 'Acme') {
  const wire = { id, project_id: 1, task_id: id }
  return toLink(wire, { id: 1, name: client }, { id: 1, name: 'Website' }, { id, name: task })
}

/** Returns an entry on 2024-05-01, or at full local times; without `end` it is running. */
export function entryAt(
  id: number | string,
  start: string,
  end: string | null,
  { task = 'Design', notes = '', pending = false, linkId = 1 } = {},
): Entry {
  const at = (time: string) => new Date(time.includes('T') ? time : `2024-05-01T${time}`).toISOString()
  const record = {
    ...{ id, task_link_id: linkId, notes },
    time_start: at(start),
    time_end: end === null ? null : at(end),
  }
  return toEntry({ record, pending }, linkNamed(task, linkId))
}

export function stateWith(entries: Entry[], parts: Partial<WatchState> = {}): WatchState {
  return {
    day: '2024-05-01',
    entries,
    calendar: undefined,
    weekStart: 1,
    durations: DurationDisplay.of('1h 24m'),
    pendingChanges: 0,
    rejectedChanges: 0,
    failure: undefined,
    assignedIds: new Map(),
    ...parts,
  }
}
