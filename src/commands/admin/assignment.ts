import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import type { commands } from '../../program/declarations/admin.js'
import type { UserAssignmentJson } from '../../records/shapes/admin.js'
import type { NamedAssignment } from '../../service/admin/administration.js'
import type { View } from '../../ui/view.js'
import { emptyList } from '../views/record.js'

type Commands = typeof commands.admin.commands

const loadAdministration = () => import('../../service/admin/administration.js')

const view: View<NamedAssignment> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'user', title: 'User', canShrink: true },
    { key: 'client', title: 'Client', canShrink: true },
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'starts_on', title: 'From' },
    { key: 'ends_on', title: 'Until' },
  ],
  json: ({ id, user, client, project, project_id, starts_on, ends_on }): UserAssignmentJson => ({
    ...{ id, user, client, project, project_id, starts_on, ends_on },
  }),
  empty: emptyList('assignments', 'tt admin assign EMAIL PROJECT', 'adds one'),
}

export const assign = {
  view,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email, project: projects }, options }: Input<Commands['assign']>,
    recorded: RecordedChange,
  ): Promise<NamedAssignment[]> {
    const { from: startsOn, until: endsOn } = options
    const { assignProjects, listAssignments } = await loadAdministration()
    const storage = await ctx.storage(options.database)
    const added = await recorded(storage, (storage) =>
      assignProjects(storage, { email, projects, startsOn, endsOn }),
    )
    const assignments = await listAssignments(storage, email)
    const paths = added
      .flatMap((one) => assignments.find(({ id }) => id === one.id) ?? [])
      .map(({ client, project }) => (client === null ? project : `${client}/${project}`))
    ctx.terminal.message(`Assigned ${email} to ${paths.join(', ')}.`)
    return assignments
  },
}

export const unassign = {
  view,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { email, project: projects }, options }: Input<Commands['unassign']>,
    recorded: RecordedChange,
  ): Promise<NamedAssignment[]> {
    const { until: lastDay } = options
    const { listAssignments, unassign } = await loadAdministration()
    const storage = await ctx.storage(options.database)
    const paths = await recorded(storage, (storage) => unassign(storage, { email, projects, lastDay }))
    ctx.terminal.message(
      `The assignments of ${email} to ${paths.join(', ')} end on ${lastDay}. Their entries remain.`,
    )
    return listAssignments(storage, email)
  },
}

export const list = {
  view,
  async run(
    ctx: Context,
    { args: { email }, options }: Input<Commands['assignments']>,
  ): Promise<NamedAssignment[]> {
    const { listAssignments } = await loadAdministration()
    return listAssignments(await ctx.storage(options.database), email)
  },
}
