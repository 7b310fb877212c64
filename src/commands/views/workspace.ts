import type { Assignment, Company, NamedRecord, Project, WireRecord } from '../../api-client/types.js'
import type { Link } from '../../catalog/catalog.js'
import type { TaskJson } from '../../shapes/entries.js'
import type { Column, View } from '../../ui/view.js'

/** A record with the names of the records that it refers to. */
export type Named<Row> = Row & { client?: unknown; project?: unknown }

const wireJson = (row: WireRecord) => ({ ...row })
const id: Column<WireRecord> = { key: 'id', title: 'ID', align: 'right' }
const name: Column<WireRecord> = { key: 'name', title: 'Name', canShrink: true }
const active: Column<WireRecord> = {
  key: 'active',
  title: 'Active',
  text: (row) => (row.active === false ? 'no' : 'yes'),
}

export const namedView = (what: string): View<NamedRecord> => ({
  columns: [id, name],
  json: wireJson,
  empty: `No ${what}.`,
})

export const projectView: View<Project> = {
  columns: [id, name, { key: 'client', title: 'Client', canShrink: true }, active],
  json: wireJson,
  empty: 'No projects. In the local workspace, `tt start Project/Task` creates one.',
}

export const expenseTypeView: View<NamedRecord> = {
  columns: [id, name, active],
  json: wireJson,
  empty: 'No expense types. In your own database, `tt admin expense-type add NAME` adds one.',
}

export const assignmentView: View<Assignment> = {
  columns: [
    id,
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'starts_on', title: 'From' },
    { key: 'ends_on', title: 'Until' },
  ],
  json: wireJson,
  empty: 'No assignments.',
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

/** The tasks that `tt start` accepts, each by the ID of its task link. */
export const taskView: View<Link> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'client', title: 'Client', canShrink: true },
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'task', title: 'Task', canShrink: true },
    { key: 'active', title: 'Active', text: (link) => (link.active ? 'yes' : 'no') },
  ],
  json: taskJson,
  line: (link) => link.label,
  empty: 'No tasks. In the local workspace, `tt start Project/Task` creates one.',
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
