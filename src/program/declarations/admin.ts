import { summaries } from '../command-list.js'
import { defineCommand, defineGroup } from '../declaration.js'
import { databaseOption, repeatable } from '../shared-options.js'

const user = () => import('../../commands/admin/user.js')
const token = () => import('../../commands/admin/token.js')
const app = () => import('../../commands/admin/app.js')
const project = () => import('../../commands/admin/project.js')
const task = () => import('../../commands/admin/task.js')
const expenseType = () => import('../../commands/admin/expense-type.js')

const emailArgument = { '<email>': 'email address of the user' } as const
const projectArgument = { '<project>': 'project, as Project or Client/Project' } as const
const expenseTypeArgument = { '<name>': 'name of the expense type' } as const
const scopeOption = {
  '--scope <scopes>': 'scopes of the token, space-separated (default: service:read service:write)',
} as const

const userCommands = {
  add: defineCommand({
    summary: 'add a user with a password or a new bearer token',
    args: emailArgument,
    options: {
      '--name <name>': 'display name (default: the part before the @)',
      '--password-stdin': 'read the password from standard input; prints no token',
      ...scopeOption,
      ...databaseOption,
    },
    examples: [
      'tt admin user add ada@example.com --password-stdin < password.txt',
      'tt admin user add bob@example.com --name Bob --scope service:read',
    ],
    load: async () => (await user()).add,
  }),
  list: defineCommand({
    summary: 'list users',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin user list', 'tt admin user list --json --database sqlite:team.db'],
    load: async () => (await user()).list,
  }),
  password: defineCommand({
    summary: 'set the password of a user and revoke all their access',
    args: emailArgument,
    options: { '--password-stdin': 'read the password from standard input', ...databaseOption },
    examples: [
      'tt admin user password ada@example.com --password-stdin < password.txt',
      'tt admin user password ada@example.com --password-stdin --database sqlite:team.db < password.txt',
    ],
    load: async () => (await user()).password,
  }),
  token: defineCommand({
    summary: 'create and print a bearer token',
    args: emailArgument,
    options: { ...scopeOption, ...databaseOption },
    examples: [
      'tt admin user token ada@example.com --scope service:read',
      'tt admin user token ada@example.com --json | jq -r .token',
    ],
    load: async () => (await user()).token,
  }),
  deactivate: defineCommand({
    summary: 'deactivate a user and revoke all their access for good',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user deactivate ada@example.com',
      'tt admin user deactivate ada@example.com --database sqlite:team.db',
    ],
    load: async () => (await user()).deactivate,
  }),
  activate: defineCommand({
    summary: 'activate a deactivated user; revoked tokens stay revoked',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user activate ada@example.com',
      'tt admin user activate ada@example.com --database sqlite:team.db',
    ],
    load: async () => (await user()).activate,
  }),
  sessions: defineCommand({
    summary: 'list the browsers in which a user is signed in',
    args: emailArgument,
    options: databaseOption,
    hasFormats: true,
    examples: [
      'tt admin user sessions ada@example.com',
      'tt admin user sessions ada@example.com --json --database sqlite:team.db',
    ],
    load: async () => (await user()).sessions,
  }),
  revoke: defineCommand({
    summary: 'revoke all tokens, applications and browser sessions of a user',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user revoke ada@example.com',
      'tt admin user revoke ada@example.com --yes --database sqlite:team.db',
    ],
    load: async () => (await user()).revoke,
  }),
}

const tokenCommands = {
  list: defineCommand({
    summary: 'list tokens, legacy keys and authorized applications',
    options: {
      '--user <email>': 'only those of this user',
      '--all': 'include those that are revoked or expired',
      ...databaseOption,
    },
    hasFormats: true,
    notes: ['Tokens themselves are not stored, only their hashes.'],
    examples: ['tt admin token list', 'tt admin token list --user ada@example.com --all --json'],
    load: async () => (await token()).list,
  }),
  revoke: defineCommand({
    summary: 'revoke tokens, legacy keys and authorizations of applications',
    args: { '<id...>': 'ID in `tt admin token list`' },
    options: databaseOption,
    examples: ['tt admin token revoke t12', 'tt admin token revoke t12 g5 --yes --database sqlite:team.db'],
    load: async () => (await token()).revoke,
  }),
}

const appCommands = {
  add: defineCommand({
    summary: 'register an application and print its client ID and secret',
    args: { '<name>': 'application name shown on the consent page' },
    options: {
      '--redirect-uri <uri>': { ...repeatable('redirect URI (required, repeatable)'), required: true },
      ...databaseOption,
    },
    examples: [
      'tt admin app add tt --redirect-uri http://127.0.0.1/callback',
      'tt admin app add Dashboard --redirect-uri https://dashboard.example.com/callback --database sqlite:team.db',
    ],
    load: async () => (await app()).add,
  }),
  list: defineCommand({
    summary: 'list applications',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin app list', 'tt admin app list --fields name,client_id'],
    load: async () => (await app()).list,
  }),
  rm: defineCommand({
    summary: 'remove an application and revoke all its tokens',
    args: { '<id>': 'client ID' },
    options: databaseOption,
    examples: [
      'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d',
      'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db',
    ],
    load: async () => (await app()).rm,
  }),
}

const projectCommands = {
  add: defineCommand({
    summary: 'add a project',
    args: { '<name>': 'project name' },
    options: { '--client <name>': 'client of the project; created if missing', ...databaseOption },
    examples: ['tt admin project add Website --client Acme', 'tt admin project add Internal'],
    load: async () => (await project()).add,
  }),
  list: defineCommand({
    summary: 'list projects',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin project list', 'tt admin project list --csv'],
    load: async () => (await project()).list,
  }),
  assign: defineCommand({
    summary: 'assign a user to a project',
    args: { ...projectArgument, ...emailArgument },
    options: {
      '--from <date>': 'first day of the assignment',
      '--until <date>': 'last day of the assignment',
      ...databaseOption,
    },
    examples: [
      'tt admin project assign Acme/Website ada@example.com --from 2024-05-01',
      'tt admin project assign Website ada@example.com --from monday --until 2030-12-31',
    ],
    load: async () => (await project()).assign,
  }),
  archive: defineCommand({
    summary: 'archive a project; its entries remain',
    args: projectArgument,
    options: databaseOption,
    examples: [
      'tt admin project archive Acme/Website',
      'tt admin project archive Website --database sqlite:team.db',
    ],
    load: async () => (await project()).archive,
  }),
  restore: defineCommand({
    summary: 'restore an archived project',
    args: projectArgument,
    options: databaseOption,
    examples: [
      'tt admin project restore Acme/Website',
      'tt admin project restore Website --database sqlite:team.db',
    ],
    load: async () => (await project()).restore,
  }),
}

const taskCommands = {
  add: defineCommand({
    summary: 'add a task; with --project, link it to that project',
    args: { '<name>': 'task name' },
    options: { '--project <project>': 'project, as Project or Client/Project', ...databaseOption },
    examples: ['tt admin task add Design --project Acme/Website', 'tt admin task add Review'],
    load: async () => (await task()).add,
  }),
  list: defineCommand({
    summary: 'list tasks',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin task list', 'tt admin task list --json --database sqlite:team.db'],
    load: async () => (await task()).list,
  }),
}

const expenseTypeCommands = {
  add: defineCommand({
    summary: 'add an expense type',
    args: expenseTypeArgument,
    options: databaseOption,
    examples: [
      'tt admin expense-type add Travel',
      'tt admin expense-type add Meals --database sqlite:team.db',
    ],
    load: async () => (await expenseType()).add,
  }),
  list: defineCommand({
    summary: 'list expense types',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin expense-type list', 'tt admin expense-type list --database sqlite:team.db'],
    load: async () => (await expenseType()).list,
  }),
  archive: defineCommand({
    summary: 'archive an expense type',
    args: expenseTypeArgument,
    options: databaseOption,
    examples: [
      'tt admin expense-type archive Travel',
      'tt admin expense-type archive Meals --database sqlite:team.db',
    ],
    load: async () => (await expenseType()).archive,
  }),
}

/** `tt admin`. */
export const commands = {
  admin: defineGroup({
    summary: summaries.admin,
    commands: {
      user: defineGroup({ summary: 'manage users', commands: userCommands }),
      token: defineGroup({ summary: 'manage tokens and authorized applications', commands: tokenCommands }),
      app: defineGroup({ summary: 'manage OAuth applications', commands: appCommands }),
      project: defineGroup({ summary: 'manage projects and assignments', commands: projectCommands }),
      task: defineGroup({ summary: 'manage tasks and task links', commands: taskCommands }),
      'expense-type': defineGroup({ summary: 'manage expense types', commands: expenseTypeCommands }),
      company: defineCommand({
        summary: 'show or edit the company',
        options: {
          '--name <name>': 'company name',
          '--currency <code>': 'ISO 4217 currency code',
          '--time-zone <zone>':
            'IANA time zone in which dates in filters are interpreted, such as Europe/Zurich',
          '--legacy-keys <on|off>': 'whether the service issues and accepts legacy API keys (default: on)',
          '--legacy-key-days <n>':
            'days after which legacy API keys expire ("unlimited" for no limit, the default)',
          ...databaseOption,
        },
        examples: [
          'tt admin company',
          'tt admin company --name Acme --currency CHF --time-zone Europe/Zurich',
        ],
        load: () => import('../../commands/admin/company.js'),
      }),
      backup: defineCommand({
        summary: 'save a complete copy of a SQLite database, which may be served',
        args: { '[file]': 'file or directory (default: NAME-backup-DATE-TIME.db in the current directory)' },
        options: databaseOption,
        notes: ['The copy contains hashes of passwords and tokens. For a PostgreSQL database, use pg_dump.'],
        examples: [
          'tt admin backup --database sqlite:team.db',
          'tt admin backup ~/backups --database sqlite:team.db --json',
        ],
        load: () => import('../../commands/admin/backup.js'),
      }),
      seed: defineCommand({
        summary: 'add sample entries to the database',
        options: {
          '--entries <n>': { description: 'number of entries', default: '1000' },
          '--random <n>': {
            description: 'seed of the random number generator; the same seed adds the same entries',
            default: '1',
          },
          '--until <date>': { description: 'date of the last entry', default: 'today' },
          '--user <email>': 'owner of the entries (default: the first user)',
          ...databaseOption,
        },
        examples: [
          'tt admin seed --entries 1000 --user ada@example.com --database sqlite:team.db',
          'tt admin seed --entries 100 --random 7 --until yesterday',
        ],
        load: () => import('../../commands/admin/seed.js'),
      }),
    },
    examples: [
      'tt admin task add Design --project Acme/Website',
      'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      'tt admin app list --database sqlite:team.db',
    ],
  }),
}
