import type { CatalogCommand } from '../../commands/catalog/catalog-command.js'
import type { ArgumentValues } from '../contract.js'
import type { ArgumentSet, CommandDeclaration, Note } from '../declaration.js'
import { databaseOption } from '../options/shared-options.js'

interface CatalogDeclaration<Args extends ArgumentSet> {
  summary: string
  args: Args
  notes?: readonly Note[]
  /** What the examples write after the command. */
  examples: readonly [string, string]
  load(): Promise<CatalogCommand<ArgumentValues<Args>>>
}

/** Declares a command for the local workspace, `tt projects add`, and for a database, `tt admin projects add`. */
function declare<const Args extends ArgumentSet>(
  { examples, load, ...declared }: CatalogDeclaration<Args>,
  [path, adminPath = path]: readonly [string, string?],
): { workspace: CommandDeclaration; database: CommandDeclaration } {
  const helpers = () => import('../../commands/catalog/catalog-command.js')
  return {
    workspace: {
      ...declared,
      examples: examples.map((words) => `tt ${path} ${words}`),
      load: async () => (await helpers()).inWorkspace(await load()),
    },
    database: {
      ...declared,
      notes: [...(declared.notes ?? []), '`tt undo` does not undo commands of `tt admin`.'],
      options: databaseOption,
      examples: examples.map(
        (words, at) => `tt admin ${adminPath} ${words}${at > 0 ? ' --database sqlite:team.db' : ''}`,
      ),
      load: async () => {
        const { audited } = await import('../../commands/admin/audited.js')
        return audited(adminPath, (await helpers()).inDatabase(await load()))
      },
    },
  }
}

const clients = () => import('../../commands/catalog/clients.js')
const projects = () => import('../../commands/catalog/projects.js')
const tasks = () => import('../../commands/catalog/tasks.js')
const expenseTypes = () => import('../../commands/catalog/expense-types.js')

const client = { '<client>': 'client: name, its beginning, or ID' } as const
const project = {
  '<project>': 'project: Project or Client/Project, the beginning of these names, or ID',
} as const
const task = {
  '<task>': 'task: Project/Task or Client/Project/Task, the beginning of these names, or ID',
} as const
const type = { '<type>': 'name of the expense type' } as const

const clientCommands = {
  add: declare(
    {
      summary: 'add a client',
      args: { '<name>': 'name of the client' },
      examples: ['Globex', '"Northwind Traders"'],
      load: async () => (await clients()).add,
    },
    ['clients add'],
  ),
  rename: declare(
    {
      summary: 'rename a client',
      args: { ...client, '<name>': 'new name' },
      examples: ['Acme "Acme Ltd"', 'Initech Globex'],
      load: async () => (await clients()).rename,
    },
    ['clients rename'],
  ),
  merge: declare(
    {
      summary: 'move the projects of a client to another one, and delete the client',
      args: { '<from>': 'client that is deleted', '<into>': 'client that remains' },
      notes: ['Projects with the same name become one, with all entries and expenses.'],
      examples: ['Initech Acme', 'Acme Initech'],
      load: async () => (await clients()).merge,
    },
    ['clients merge'],
  ),
  archive: declare(
    {
      summary: 'archive a client with its projects; entries remain',
      args: client,
      examples: ['Acme', 'Initech'],
      load: async () => (await clients()).archive,
    },
    ['clients archive'],
  ),
  restore: declare(
    {
      summary: 'restore an archived client with its projects and their tasks',
      args: client,
      examples: ['Acme', 'Initech'],
      load: async () => (await clients()).restore,
    },
    ['clients restore'],
  ),
  rm: declare(
    {
      summary: 'delete a client without projects',
      args: client,
      examples: ['Initech', 'init'],
      load: async () => (await clients()).rm,
    },
    ['clients rm'],
  ),
}

const projectCommands = {
  add: declare(
    {
      summary: 'add a project',
      args: { '<name>': 'Project or Client/Project; a missing client is created' },
      examples: ['Acme/Shop', 'Podcast'],
      load: async () => (await projects()).add,
    },
    ['projects add'],
  ),
  rename: declare(
    {
      summary: 'rename a project, or move it to a client',
      args: { ...project, '<name>': 'new name; Client/Project also moves it to that client' },
      examples: ['Website Site', 'Website Acme/Website'],
      load: async () => (await projects()).rename,
    },
    ['projects rename'],
  ),
  merge: declare(
    {
      summary: 'move everything of a project to another one, and delete the project',
      args: { '<from>': 'project that is deleted', '<into>': 'project that remains' },
      notes: ['Tasks with the same name become one, with all entries.'],
      examples: ['App Website', 'Acme/App Acme/Website'],
      load: async () => (await projects()).merge,
    },
    ['projects merge'],
  ),
  archive: declare(
    {
      summary: 'archive a project with its tasks; entries remain',
      args: project,
      examples: ['Acme/Website', 'Website'],
      load: async () => (await projects()).archive,
    },
    ['projects archive'],
  ),
  restore: declare(
    {
      summary: 'restore an archived project with its tasks',
      args: project,
      examples: ['Acme/Website', 'Website'],
      load: async () => (await projects()).restore,
    },
    ['projects restore'],
  ),
  rm: declare(
    {
      summary: 'delete a project without entries, expenses and assignments',
      args: project,
      examples: ['Drafts', 'draft'],
      load: async () => (await projects()).rm,
    },
    ['projects rm'],
  ),
}

const taskCommands = {
  add: declare(
    {
      summary: 'add a task to a project',
      args: { '<name>': 'Project/Task or Client/Project/Task' },
      examples: ['Website/Layout', 'Acme/Website/Tests'],
      load: async () => (await tasks()).add,
    },
    ['tasks add'],
  ),
  rename: declare(
    {
      summary: 'rename a task, in all projects or in one',
      args: {
        '<task>': 'Task for all projects; Project/Task, Client/Project/Task or ID for one',
        '<name>': 'new name',
      },
      examples: ['Website/Design Layout', 'Design Layout --yes'],
      load: async () => (await tasks()).rename,
    },
    ['tasks rename'],
  ),
  merge: declare(
    {
      summary: 'move the entries of a task to another one, and delete the task',
      args: {
        '<from>':
          'task that is deleted: Task for all projects; Project/Task, Client/Project/Task or ID for one',
        '<into>': 'task that remains',
      },
      examples: ['Website/Review Website/Design', 'Review Design --yes'],
      load: async () => (await tasks()).merge,
    },
    ['tasks merge'],
  ),
  archive: declare(
    {
      summary: 'archive a task of a project; entries remain',
      args: task,
      examples: ['Website/Design', 'Acme/Website/Review'],
      load: async () => (await tasks()).archive,
    },
    ['tasks archive'],
  ),
  restore: declare(
    {
      summary: 'restore an archived task of a project',
      args: task,
      examples: ['Website/Design', 'Acme/Website/Review'],
      load: async () => (await tasks()).restore,
    },
    ['tasks restore'],
  ),
  rm: declare(
    {
      summary: 'delete a task of a project without entries',
      args: task,
      examples: ['Website/Ideas', 'ideas'],
      load: async () => (await tasks()).rm,
    },
    ['tasks rm'],
  ),
}

const expenseTypeCommands = {
  add: declare(
    {
      summary: 'add an expense type, or restore an archived one',
      args: { '<name>': 'name of the expense type' },
      examples: ['Lodging', '"Office supplies"'],
      load: async () => (await expenseTypes()).add,
    },
    ['expenses types add', 'expense-types add'],
  ),
  rename: declare(
    {
      summary: 'rename an expense type',
      args: { ...type, '<name>': 'new name' },
      examples: ['Travel Trips', 'Meals "Client dinners"'],
      load: async () => (await expenseTypes()).rename,
    },
    ['expenses types rename', 'expense-types rename'],
  ),
  archive: declare(
    {
      summary: 'archive an expense type; expenses keep it',
      args: type,
      examples: ['Travel', 'Meals'],
      load: async () => (await expenseTypes()).archive,
    },
    ['expenses types archive', 'expense-types archive'],
  ),
}

type Kind = 'workspace' | 'database'

function ofKind<Name extends string>(
  declared: Readonly<Record<Name, Record<Kind, CommandDeclaration>>>,
  kind: Kind,
): Record<Name, CommandDeclaration> {
  const entries = Object.entries<Record<Kind, CommandDeclaration>>(declared)
  return Object.fromEntries(entries.map(([name, kinds]) => [name, kinds[kind]])) as Record<
    Name,
    CommandDeclaration
  >
}

/** The commands that change clients, projects, tasks and expense types: of the local workspace, or of a database. */
export const catalogCommands = (kind: Kind) => ({
  clients: ofKind(clientCommands, kind),
  projects: ofKind(projectCommands, kind),
  tasks: ofKind(taskCommands, kind),
  expenseTypes: ofKind(expenseTypeCommands, kind),
})
