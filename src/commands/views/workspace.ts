import type { Assignment, Client, Company, NamedRecord, Project, WireRecord } from '../../api-client/types.js'
import { dayOf } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { TaskJson, UsedTaskJson } from '../../records/shapes/entries.js'
import type { TaskWithProject } from '../../service/admin/administration.js'
import type { Link } from '../../tracking/catalog/catalog.js'
import type { Column, View } from '../../ui/view.js'
import { emptyList } from './record.js'

const wireJson = (row: WireRecord) => ({ ...row })
const id: Column<WireRecord> = { key: 'id', title: 'ID', align: 'right' }
const name: Column<WireRecord> = { key: 'name', title: 'Name', canShrink: true }
const active: Column<WireRecord> = {
  key: 'active',
  title: 'Active',
  text: (row) => (row.active === false ? 'no' : 'yes'),
}

export const clientView: View<Client> = {
  columns: [id, name, active],
  json: wireJson,
  empty: emptyList('clients', 'tt clients add NAME', 'adds one in the local workspace'),
}

export const projectView: View<Project> = {
  columns: [id, name, { key: 'client', title: 'Client', canShrink: true }, active],
  json: wireJson,
  empty: emptyList('projects', 'tt start Project/Task', 'creates one in the local workspace'),
}

export const expenseTypeView: View<NamedRecord> = {
  columns: [id, name, active],
  json: wireJson,
  empty: emptyList('expense types', 'tt expenses types add NAME', 'adds one in the local workspace'),
}

export const assignmentView: View<Assignment> = {
  columns: [
    id,
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'starts_on', title: 'From' },
    { key: 'ends_on', title: 'Until' },
  ],
  json: wireJson,
  empty: emptyList('assignments', 'tt tasks', 'lists all tasks'),
}

export const companyView: View<Company> = {
  columns: [
    id,
    name,
    { key: 'currency', title: 'Currency' },
    { key: 'time_zone', title: 'Time zone' },
    { key: 'closed_until', title: 'Closed until', text: (row) => row.closed_until ?? 'none' },
  ],
  json: wireJson,
  empty: 'No company.',
}

const taskColumns: Column<{ active?: boolean }>[] = [
  { key: 'id', title: 'ID', align: 'right' },
  { key: 'client', title: 'Client', canShrink: true },
  { key: 'project', title: 'Project', canShrink: true },
  { key: 'task', title: 'Task', canShrink: true },
  { key: 'active', title: 'Active', text: ({ active }) => (active === false ? 'no' : 'yes') },
]

/** The tasks that `tt start` accepts, each by the ID of its task link. */
export const taskView: View<Link> = {
  columns: taskColumns,
  json: taskJson,
  line: (link) => link.label,
  empty: emptyList('tasks', 'tt start Project/Task', 'creates one in the local workspace'),
}

/** A task with its use in the last seven days. */
export interface UsedTask {
  link: Link
  /** The number of entries. */
  entries: number
  seconds: number
  /** The start of the last entry. */
  lastUsed: Date
}

export const usedTaskView = (durations: DurationDisplay): View<UsedTask> => ({
  columns: [
    { key: 'id', title: 'ID', align: 'right', text: ({ link }) => String(link.id) },
    { key: 'client', title: 'Client', canShrink: true, text: ({ link }) => link.client?.name ?? '' },
    { key: 'project', title: 'Project', canShrink: true, text: ({ link }) => link.project?.name ?? '' },
    { key: 'task', title: 'Task', canShrink: true, text: ({ link }) => link.task?.name ?? '' },
    { key: 'entries', title: 'Entries', align: 'right', isMinor: true },
    {
      key: 'seconds',
      title: 'Duration',
      align: 'right',
      text: ({ seconds }) => durations.format(seconds),
    },
    { key: 'last_used', title: 'Last used', text: ({ lastUsed }) => dayOf(lastUsed) },
  ],
  json: ({ link, entries, seconds, lastUsed }): UsedTaskJson => ({
    ...taskJson(link),
    entries,
    seconds,
    last_used: toRfc3339(lastUsed),
  }),
  empty: emptyList('tasks in the last 7 days', 'tt tasks', 'lists all'),
})

/** Tasks that are read from a database, not from the API. */
export const storedTaskView: View<TaskWithProject> = {
  columns: taskColumns,
  json: (task) => ({ ...task }),
  line: (task) => task.label,
  empty: emptyList('tasks', 'tt admin tasks add Project/Task', 'adds one'),
}

/** Returns the fields of the task link at the service, then its label and names. */
function taskJson(link: Link): TaskJson {
  return {
    ...link.wire,
    active: link.active,
    label: link.label,
    client: link.client?.name ?? null,
    client_id: link.client?.id ?? null,
    project: link.project?.name ?? null,
    task: link.task?.name ?? null,
  }
}
