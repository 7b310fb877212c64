import type { ArgumentSet, CommandDeclaration, Note } from '../../cli/declaration.js'
import type { CatalogName } from '../../service/admin/catalog/catalog.js'
import { databaseOption } from '../options/shared-options.js'

/** What a command does with a record. */
export type CatalogOperation = 'add' | 'rename' | 'merge' | 'archive' | 'restore' | 'rm'

interface CatalogDeclaration {
  summary: string
  /** The record, and further arguments of the change. */
  args: ArgumentSet
  notes?: readonly Note[]
  /** The arguments of the command in each example. */
  examples: readonly [string, string]
}

type Kind = 'workspace' | 'database'
type Declarations<Name extends string> = Record<Kind, Record<Name, CommandDeclaration>>

/**
 * Declares the commands for a kind of record, in the local workspace such as `tt projects add`, and in a database such as
 * `tt admin projects add`.
 */
function declare<Operation extends CatalogOperation>(
  records: CatalogName,
  [path, adminPath = path]: readonly [string, string?],
  declarations: Readonly<Record<Operation, CatalogDeclaration>>,
): Declarations<Operation> {
  const helpers = () => import('../../commands/catalog/catalog-command.js')
  const commandOf = async (operation: CatalogOperation) =>
    (await import('../../commands/catalog/operations.js')).catalogCommand(records, operation)
  const commands: Declarations<string> = { workspace: {}, database: {} }
  for (const [operation, { examples, ...declared }] of Object.entries<CatalogDeclaration>(declarations)) {
    const load = () => commandOf(operation as CatalogOperation)
    commands.workspace[operation] = {
      ...declared,
      examples: examples.map((words) => `tt ${path} ${operation} ${words}`),
      load: async () => (await helpers()).inWorkspace(await load()),
    }
    commands.database[operation] = {
      ...declared,
      notes: [...(declared.notes ?? []), '`tt undo` does not undo commands of `tt admin`.'],
      options: databaseOption,
      examples: examples.map(
        (words, at) =>
          `tt admin ${adminPath} ${operation} ${words}${at > 0 ? ' --database sqlite:team.db' : ''}`,
      ),
      load: async () => (await helpers()).inDatabase(await load()),
    }
  }
  return commands as Declarations<Operation>
}

const client = { '<client>': 'client: name, its beginning, or ID' } as const
const project = {
  '<project>': 'project: Project or Client/Project, the beginning of these names, or ID',
} as const
const task = {
  '<task>': 'task: Project/Task or Client/Project/Task, the beginning of these names, or ID',
} as const
const type = { '<type>': 'name of the expense type' } as const

const clientCommands = declare('clients', ['clients'], {
  add: {
    summary: 'add a client',
    args: { '<name>': 'name of the client' },
    examples: ['Globex', '"Northwind Traders"'],
  },
  rename: {
    summary: 'rename a client',
    args: { ...client, '<name>': 'new name' },
    examples: ['Acme "Acme Ltd"', 'Initech Globex'],
  },
  merge: {
    summary: 'move the projects of a client to another one, and delete the client',
    args: { '<from>': 'client that is deleted', '<into>': 'client that remains' },
    notes: ['Projects with the same name become one, with all entries and expenses.'],
    examples: ['Initech Acme', 'Acme Initech'],
  },
  archive: {
    summary: 'archive a client with its projects; entries remain',
    args: client,
    examples: ['Acme', 'Initech'],
  },
  restore: {
    summary: 'restore an archived client with its projects and their tasks',
    args: client,
    examples: ['Acme', 'Initech'],
  },
  rm: {
    summary: 'delete a client without projects',
    args: client,
    examples: ['Initech', 'init'],
  },
})

const projectCommands = declare('projects', ['projects'], {
  add: {
    summary: 'add a project',
    args: { '<name>': 'Project or Client/Project; a missing client is created' },
    examples: ['Acme/Shop', 'Podcast'],
  },
  rename: {
    summary: 'rename a project, or move it to a client',
    args: { ...project, '<name>': 'new name; Client/Project also moves it to that client' },
    examples: ['Website Site', 'Website Acme/Website'],
  },
  merge: {
    summary: 'move everything of a project to another one, and delete the project',
    args: { '<from>': 'project that is deleted', '<into>': 'project that remains' },
    notes: ['Tasks with the same name become one, with all entries.'],
    examples: ['App Website', 'Acme/App Acme/Website'],
  },
  archive: {
    summary: 'archive a project with its tasks; entries remain',
    args: project,
    examples: ['Acme/Website', 'Website'],
  },
  restore: {
    summary: 'restore an archived project with its tasks',
    args: project,
    examples: ['Acme/Website', 'Website'],
  },
  rm: {
    summary: 'delete a project without entries, expenses and assignments',
    args: project,
    examples: ['Drafts', 'draft'],
  },
})

const taskCommands = declare('tasks', ['tasks'], {
  add: {
    summary: 'add a task to a project',
    args: { '<name>': 'Project/Task or Client/Project/Task' },
    examples: ['Website/Layout', 'Acme/Website/Tests'],
  },
  rename: {
    summary: 'rename a task, in all projects or in one',
    args: {
      '<task>': 'Task for all projects; Project/Task, Client/Project/Task or ID for one',
      '<name>': 'new name',
    },
    examples: ['Website/Design Layout', 'Design Layout --yes'],
  },
  merge: {
    summary: 'move the entries of a task to another one, and delete the task',
    args: {
      '<from>':
        'task that is deleted: Task for all projects; Project/Task, Client/Project/Task or ID for one',
      '<into>': 'task that remains',
    },
    examples: ['Website/Review Website/Design', 'Review Design --yes'],
  },
  archive: {
    summary: 'archive a task of a project; entries remain',
    args: task,
    examples: ['Website/Design', 'Acme/Website/Review'],
  },
  restore: {
    summary: 'restore an archived task of a project',
    args: task,
    examples: ['Website/Design', 'Acme/Website/Review'],
  },
  rm: {
    summary: 'delete a task of a project without entries',
    args: task,
    examples: ['Website/Ideas', 'ideas'],
  },
})

const expenseTypeCommands = declare('expenseTypes', ['expenses types', 'expense-types'], {
  add: {
    summary: 'add an expense type, or restore an archived one',
    args: { '<name>': 'name of the expense type' },
    examples: ['Lodging', '"Office supplies"'],
  },
  rename: {
    summary: 'rename an expense type',
    args: { ...type, '<name>': 'new name' },
    examples: ['Travel Trips', 'Meals "Client dinners"'],
  },
  archive: {
    summary: 'archive an expense type; expenses keep it',
    args: type,
    examples: ['Travel', 'Meals'],
  },
})

/** The commands that change clients, projects, tasks and expense types: of the local workspace, or of a database. */
export const catalogCommands = (kind: Kind) => ({
  clients: clientCommands[kind],
  projects: projectCommands[kind],
  tasks: taskCommands[kind],
  expenseTypes: expenseTypeCommands[kind],
})
