import { type Command, Option } from 'commander'
import { summaries } from '../command-list.js'
import { command, commandGroup, type Declare, type LazyAction, listCommand } from '../lazy-commands.js'
import { collect, databaseOption, examples } from '../shared-options.js'

/** Declares `tt admin`. */
export function declareAdmin(program: Command, lazyAction: LazyAction) {
  commandGroup(program, 'admin', summaries.admin, (command) => declareCommands(command, lazyAction))
}

function declareCommands(admin: Command, lazyAction: LazyAction) {
  admin.addHelpText(
    'after',
    examples(
      'tt admin task add Design --project Acme/Website',
      'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      'tt admin app list --database sqlite:team.db',
    ),
  )
  commandGroup(admin, 'user', 'manage users', (user) => declareUser(user, lazyAction))
  commandGroup(admin, 'app', 'manage OAuth applications', (app) => declareApp(app, lazyAction))
  commandGroup(admin, 'project', 'manage projects and assignments', (project) =>
    declareProject(project, lazyAction),
  )
  commandGroup(admin, 'task', 'manage tasks and task links', (task) => declareTask(task, lazyAction))
  commandGroup(admin, 'expense-type', 'manage expense types', (type) => declareExpenseType(type, lazyAction))
  command(
    admin,
    'company',
    'show or edit the company',
    withDatabaseOption(
      ['tt admin company', 'tt admin company --name Acme --currency CHF --time-zone Europe/Zurich'],
      (command) =>
        command
          .option('--name <name>', 'company name')
          .option('--currency <code>', 'ISO 4217 currency code')
          .option(
            '--time-zone <zone>',
            'IANA time zone in which dates in filters are interpreted, such as Europe/Zurich',
          )
          .action(lazyAction(() => import('../../commands/admin/company.js'))),
    ),
  )
  command(
    admin,
    'seed',
    'add sample entries to the database',
    withDatabaseOption(
      [
        'tt admin seed --entries 1000 --user ada@example.com --database sqlite:team.db',
        'tt admin seed --entries 100 --random 7 --until yesterday',
      ],
      (command) =>
        command
          .option('--entries <n>', 'number of entries', '1000')
          .option(
            '--random <n>',
            'seed of the random number generator; the same seed adds the same entries',
            '1',
          )
          .option('--until <date>', 'date of the last entry', 'today')
          .option('--user <email>', 'owner of the entries (default: the first user)')
          .action(lazyAction(() => import('../../commands/admin/seed.js'))),
    ),
  )
}

function declareUser(user: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/admin/user.js')
  const emailArgument = ['<email>', 'email address of the user'] as const
  command(
    user,
    'add',
    'add a user with a password or a new bearer token',
    withDatabaseOption(
      [
        'tt admin user add ada@example.com --password-stdin < password.txt',
        'tt admin user add bob@example.com --name Bob --scope service:read',
      ],
      (command) =>
        command
          .argument(...emailArgument)
          .option('--name <name>', 'display name (default: the part before the @)')
          .option('--password-stdin', 'read the password from standard input; prints no token')
          .addOption(scopeOption())
          .action(lazyAction(async () => (await load()).add)),
    ),
  )
  listCommand(
    user,
    'list',
    'list users',
    withDatabaseOption(
      ['tt admin user list', 'tt admin user list --json --database sqlite:team.db'],
      (command) => command.action(lazyAction(async () => (await load()).list)),
    ),
  )
  command(
    user,
    'password',
    'set the password of a user',
    withDatabaseOption(
      [
        'tt admin user password ada@example.com --password-stdin < password.txt',
        'tt admin user password ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      ],
      (command) =>
        command
          .argument(...emailArgument)
          .option('--password-stdin', 'read the password from standard input')
          .action(lazyAction(async () => (await load()).password)),
    ),
  )
  command(
    user,
    'token',
    'create and print a bearer token',
    withDatabaseOption(
      [
        'tt admin user token ada@example.com --scope service:read',
        'tt admin user token ada@example.com --json | jq -r .token',
      ],
      (command) =>
        command
          .argument(...emailArgument)
          .addOption(scopeOption())
          .action(lazyAction(async () => (await load()).token)),
    ),
  )
  command(
    user,
    'deactivate',
    'deactivate a user and revoke all their tokens',
    withDatabaseOption(
      [
        'tt admin user deactivate ada@example.com',
        'tt admin user deactivate ada@example.com --database sqlite:team.db',
      ],
      (command) =>
        command.argument(...emailArgument).action(lazyAction(async () => (await load()).deactivate)),
    ),
  )
  command(
    user,
    'activate',
    'activate a deactivated user',
    withDatabaseOption(
      [
        'tt admin user activate ada@example.com',
        'tt admin user activate ada@example.com --database sqlite:team.db',
      ],
      (command) => command.argument(...emailArgument).action(lazyAction(async () => (await load()).activate)),
    ),
  )
}

function declareApp(app: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/admin/app.js')
  command(
    app,
    'add',
    'register an application and print its client ID and secret',
    withDatabaseOption(
      [
        'tt admin app add tt --redirect-uri http://127.0.0.1/callback',
        'tt admin app add Dashboard --redirect-uri https://dashboard.example.com/callback --database sqlite:team.db',
      ],
      (command) =>
        command
          .argument('<name>', 'application name shown on the consent page')
          .addOption(
            new Option('--redirect-uri <uri>', 'redirect URI (required, repeatable)')
              .argParser(collect)
              .makeOptionMandatory(),
          )
          .action(lazyAction(async () => (await load()).add)),
    ),
  )
  listCommand(
    app,
    'list',
    'list applications',
    withDatabaseOption(['tt admin app list', 'tt admin app list --fields name,client_id'], (command) =>
      command.action(lazyAction(async () => (await load()).list)),
    ),
  )
  command(
    app,
    'rm',
    'remove an application and revoke all its tokens',
    withDatabaseOption(
      [
        'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d',
        'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db',
      ],
      (command) => command.argument('<id>', 'client ID').action(lazyAction(async () => (await load()).rm)),
    ),
  )
}

function declareProject(project: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/admin/project.js')
  const projectArgument = ['<project>', 'project, as Project or Client/Project'] as const
  command(
    project,
    'add',
    'add a project',
    withDatabaseOption(
      ['tt admin project add Website --client Acme', 'tt admin project add Internal'],
      (command) =>
        command
          .argument('<name>', 'project name')
          .option('--client <name>', 'client of the project; created if missing')
          .action(lazyAction(async () => (await load()).add)),
    ),
  )
  listCommand(
    project,
    'list',
    'list projects',
    withDatabaseOption(['tt admin project list', 'tt admin project list --csv'], (command) =>
      command.action(lazyAction(async () => (await load()).list)),
    ),
  )
  command(
    project,
    'assign',
    'assign a user to a project',
    withDatabaseOption(
      [
        'tt admin project assign Acme/Website ada@example.com --from 2024-05-01',
        'tt admin project assign Website ada@example.com --from monday --until 2030-12-31',
      ],
      (command) =>
        command
          .argument(...projectArgument)
          .argument('<email>', 'email address of the user')
          .option('--from <date>', 'first day of the assignment')
          .option('--until <date>', 'last day of the assignment')
          .action(lazyAction(async () => (await load()).assign)),
    ),
  )
  command(
    project,
    'archive',
    'archive a project; its entries remain',
    withDatabaseOption(
      ['tt admin project archive Acme/Website', 'tt admin project archive Website --database sqlite:team.db'],
      (command) =>
        command.argument(...projectArgument).action(lazyAction(async () => (await load()).archive)),
    ),
  )
  command(
    project,
    'restore',
    'restore an archived project',
    withDatabaseOption(
      ['tt admin project restore Acme/Website', 'tt admin project restore Website --database sqlite:team.db'],
      (command) =>
        command.argument(...projectArgument).action(lazyAction(async () => (await load()).restore)),
    ),
  )
}

function declareTask(task: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/admin/task.js')
  command(
    task,
    'add',
    'add a task; with --project, link it to that project',
    withDatabaseOption(
      ['tt admin task add Design --project Acme/Website', 'tt admin task add Review'],
      (command) =>
        command
          .argument('<name>', 'task name')
          .option('--project <project>', 'project, as Project or Client/Project')
          .action(lazyAction(async () => (await load()).add)),
    ),
  )
  listCommand(
    task,
    'list',
    'list tasks',
    withDatabaseOption(
      ['tt admin task list', 'tt admin task list --json --database sqlite:team.db'],
      (command) => command.action(lazyAction(async () => (await load()).list)),
    ),
  )
}

function declareExpenseType(type: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/admin/expense-type.js')
  const nameArgument = ['<name>', 'name of the expense type'] as const
  command(
    type,
    'add',
    'add an expense type',
    withDatabaseOption(
      ['tt admin expense-type add Travel', 'tt admin expense-type add Meals --database sqlite:team.db'],
      (command) => command.argument(...nameArgument).action(lazyAction(async () => (await load()).add)),
    ),
  )
  listCommand(
    type,
    'list',
    'list expense types',
    withDatabaseOption(
      ['tt admin expense-type list', 'tt admin expense-type list --database sqlite:team.db'],
      (command) => command.action(lazyAction(async () => (await load()).list)),
    ),
  )
  command(
    type,
    'archive',
    'archive an expense type',
    withDatabaseOption(
      [
        'tt admin expense-type archive Travel',
        'tt admin expense-type archive Meals --database sqlite:team.db',
      ],
      (command) => command.argument(...nameArgument).action(lazyAction(async () => (await load()).archive)),
    ),
  )
}

/** Returns the declaration of a command with `--database` and examples. */
function withDatabaseOption(lines: string[], declare: (command: Command) => Command): Declare {
  return (command) =>
    declare(command)
      .addOption(databaseOption())
      .addHelpText('after', examples(...lines))
}

const scopeOption = () =>
  new Option('--scope <scopes>', 'scopes of the token, space-separated (default: service:read service:write)')
