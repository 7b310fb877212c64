import type { Storage } from '../../storage/storage.js'
import type { Renamed } from './catalog-edit.js'
import * as clients from './clients.js'
import * as expenseTypes from './expense-types.js'
import * as projects from './projects.js'
import * as tasks from './tasks.js'

/** The operations on a kind of record. A record is typed as in commands; each throws TtError like the function here. */
interface CatalogKind<Found, Changed = Found> {
  /** The name of one record in messages. */
  noun: string
  /** Returns all records, archived ones too. */
  list(storage: Storage): Promise<Found[]>
  add(storage: Storage, name: string): Promise<Found>
  rename(storage: Storage, typed: string, name: string): Promise<Renamed<Changed>>
  merge?(storage: Storage, names: { from: string; into: string }, now: Date): Promise<Renamed<Changed>>
  setActive(storage: Storage, typed: string, isActive: boolean): Promise<Found>
  remove?(storage: Storage, typed: string): Promise<Found>
  /** Returns the names of a record as a path. */
  pathOf(record: Found): string
  /** Returns the paths of the projects in which a record is renamed or merged. */
  projectsOf?(storage: Storage, typed: string): Promise<string[]>
}

/** The records that administrators, and the user of a local workspace, add, rename, merge, archive and delete. */
export const catalog = {
  clients: {
    noun: 'client',
    list: clients.listClients,
    add: clients.addClient,
    rename: clients.renameClient,
    merge: clients.mergeClients,
    setActive: clients.setClientActive,
    remove: clients.removeClient,
    pathOf: ({ name }) => name,
  } satisfies CatalogKind<Awaited<ReturnType<typeof clients.addClient>>>,
  projects: {
    noun: 'project',
    list: projects.listProjects,
    add: projects.addProject,
    rename: projects.renameProject,
    merge: projects.mergeProjects,
    setActive: projects.setProjectActive,
    remove: projects.removeProject,
    pathOf: projects.pathOf,
  } satisfies CatalogKind<projects.ProjectWithClient>,
  tasks: {
    noun: 'task',
    list: tasks.listProjectTasks,
    add: tasks.addTask,
    rename: tasks.renameTask,
    merge: tasks.mergeTasks,
    setActive: tasks.setTaskActive,
    remove: tasks.removeTask,
    pathOf: ({ client, project, task }) => [client, project, task].filter((name) => name !== null).join('/'),
    projectsOf: tasks.projectsOfTask,
  } satisfies CatalogKind<tasks.TaskWithProject, tasks.TaskWithProject[]>,
  expenseTypes: {
    noun: 'expense type',
    list: expenseTypes.listExpenseTypes,
    add: expenseTypes.addExpenseType,
    rename: expenseTypes.renameExpenseType,
    setActive: expenseTypes.setExpenseTypeActive,
    pathOf: ({ name }) => name,
  } satisfies CatalogKind<Awaited<ReturnType<typeof expenseTypes.addExpenseType>>>,
}

export type CatalogName = keyof typeof catalog

/** A kind of record whose operations are called alike. */
export type AnyCatalogKind = CatalogKind<object, object>
