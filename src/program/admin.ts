import { type Command, Option } from 'commander'
import { type Declare, database, examples, gathered, group, type Lazily, leaf, list } from './declaring.js'

/** `tt admin` and the words under it. */
export function declareAdmin(admin: Command, lazily: Lazily) {
  admin.addHelpText(
    'after',
    examples(
      'tt admin task add Design --project Acme/Website',
      'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      'tt admin app list --database sqlite:team.db',
    ),
  )
  group(admin, 'user', 'people who may use the service', (user) => declareUser(user, lazily))
  group(admin, 'app', 'applications that people may sign in with', (app) => declareApp(app, lazily))
  group(admin, 'project', 'projects and who is assigned to them', (project) =>
    declareProject(project, lazily),
  )
  group(admin, 'task', 'tasks, and the projects they can be tracked on', (task) => declareTask(task, lazily))
  group(admin, 'expense-type', 'what money is spent on', (type) => declareExpenseType(type, lazily))
  leaf(
    admin,
    'company',
    'show the company, or change it',
    ofDatabase(
      ['tt admin company', 'tt admin company --name Acme --currency CHF --time-zone Europe/Zurich'],
      (command) =>
        command
          .option('--name <name>', 'its name')
          .option('--currency <code>', 'ISO 4217')
          .option('--time-zone <zone>', 'IANA name; a date in a filter means midnight there')
          .action(lazily(() => import('../commands/admin/company.js'))),
    ),
  )
  leaf(
    admin,
    'seed',
    'fill the database with invented entries, the same for the same --random',
    ofDatabase(
      [
        'tt admin seed --entries 1000 --user ada@example.com --database sqlite:team.db',
        'tt admin seed --entries 100 --random 7 --until yesterday',
      ],
      (command) =>
        command
          .option('--entries <n>', 'how many', '1000')
          .option('--random <n>', 'number the invention starts from', '1')
          .option('--until <date>', 'the last day', 'today')
          .option('--user <email>', 'whose entries; default: the first user')
          .action(lazily(() => import('../commands/admin/seed.js'))),
    ),
  )
}

function declareUser(user: Command, lazily: Lazily) {
  const load = () => import('../commands/admin/user.js')
  const who = ['<email>', 'who it is'] as const
  leaf(
    user,
    'add',
    'add a user, with a password to sign in with, or with a bearer token that is printed once',
    ofDatabase(
      [
        'tt admin user add ada@example.com --password-stdin < password.txt',
        'tt admin user add bob@example.com --name Bob --scope service:read',
      ],
      (command) =>
        command
          .argument(...who)
          .option('--name <name>', 'what to call them; default: the part before the @')
          .option('--password-stdin', 'read their password from standard input; no token is printed then')
          .addOption(scope())
          .action(lazily(async () => (await load()).add)),
    ),
  )
  list(
    user,
    'list',
    'list users',
    ofDatabase(['tt admin user list', 'tt admin user list --json --database sqlite:team.db'], (command) =>
      command.action(lazily(async () => (await load()).list)),
    ),
  )
  leaf(
    user,
    'password',
    'set the password of a user',
    ofDatabase(
      [
        'tt admin user password ada@example.com --password-stdin < password.txt',
        'tt admin user password ada@example.com --password-stdin --database sqlite:team.db < password.txt',
      ],
      (command) =>
        command
          .argument(...who)
          .option('--password-stdin', 'read it from standard input')
          .action(lazily(async () => (await load()).password)),
    ),
  )
  leaf(
    user,
    'token',
    'print a new bearer token, once',
    ofDatabase(
      [
        'tt admin user token ada@example.com --scope service:read',
        'tt admin user token ada@example.com --json | jq -r .token',
      ],
      (command) =>
        command
          .argument(...who)
          .addOption(scope())
          .action(lazily(async () => (await load()).token)),
    ),
  )
  leaf(
    user,
    'deactivate',
    'refuse every token of a user',
    ofDatabase(
      [
        'tt admin user deactivate ada@example.com',
        'tt admin user deactivate ada@example.com --database sqlite:team.db',
      ],
      (command) => command.argument(...who).action(lazily(async () => (await load()).deactivate)),
    ),
  )
  leaf(
    user,
    'activate',
    'take a user back',
    ofDatabase(
      [
        'tt admin user activate ada@example.com',
        'tt admin user activate ada@example.com --database sqlite:team.db',
      ],
      (command) => command.argument(...who).action(lazily(async () => (await load()).activate)),
    ),
  )
}

function declareApp(app: Command, lazily: Lazily) {
  const load = () => import('../commands/admin/app.js')
  leaf(
    app,
    'add',
    'register an application and print its id and its secret, once',
    ofDatabase(
      [
        'tt admin app add tt --redirect-uri http://127.0.0.1/callback',
        'tt admin app add Dashboard --redirect-uri https://dashboard.example.com/callback --database sqlite:team.db',
      ],
      (command) =>
        command
          .argument('<name>', 'what people are told who asks')
          .addOption(
            new Option('--redirect-uri <uri>', 'where its users come back to; repeatable')
              .argParser(gathered)
              .makeOptionMandatory(),
          )
          .action(lazily(async () => (await load()).add)),
    ),
  )
  list(
    app,
    'list',
    'list applications',
    ofDatabase(['tt admin app list', 'tt admin app list --fields name,client_id'], (command) =>
      command.action(lazily(async () => (await load()).list)),
    ),
  )
  leaf(
    app,
    'rm',
    'take an application away and revoke every token it has',
    ofDatabase(
      [
        'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d',
        'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db',
      ],
      (command) => command.argument('<id>', 'its client id').action(lazily(async () => (await load()).rm)),
    ),
  )
}

function declareProject(project: Command, lazily: Lazily) {
  const load = () => import('../commands/admin/project.js')
  const which = ['<project>', 'Project or Client/Project'] as const
  leaf(
    project,
    'add',
    'add a project',
    ofDatabase(['tt admin project add Website --client Acme', 'tt admin project add Internal'], (command) =>
      command
        .argument('<name>', 'its name')
        .option('--client <name>', 'whose it is; added where there is none of the name')
        .action(lazily(async () => (await load()).add)),
    ),
  )
  list(
    project,
    'list',
    'list projects',
    ofDatabase(['tt admin project list', 'tt admin project list --csv'], (command) =>
      command.action(lazily(async () => (await load()).list)),
    ),
  )
  leaf(
    project,
    'assign',
    'assign a user to a project',
    ofDatabase(
      [
        'tt admin project assign Acme/Website ada@example.com --from 2024-05-01',
        'tt admin project assign Website ada@example.com --from monday --until 2030-12-31',
      ],
      (command) =>
        command
          .argument(...which)
          .argument('<email>', 'whom')
          .option('--from <date>', 'first day')
          .option('--until <date>', 'last day')
          .action(lazily(async () => (await load()).assign)),
    ),
  )
  leaf(
    project,
    'archive',
    'take a project out of use; its entries stay',
    ofDatabase(
      ['tt admin project archive Acme/Website', 'tt admin project archive Website --database sqlite:team.db'],
      (command) => command.argument(...which).action(lazily(async () => (await load()).archive)),
    ),
  )
  leaf(
    project,
    'restore',
    'take an archived project into use again',
    ofDatabase(
      ['tt admin project restore Acme/Website', 'tt admin project restore Website --database sqlite:team.db'],
      (command) => command.argument(...which).action(lazily(async () => (await load()).restore)),
    ),
  )
}

function declareTask(task: Command, lazily: Lazily) {
  const load = () => import('../commands/admin/task.js')
  leaf(
    task,
    'add',
    'add a task, and link it with a project',
    ofDatabase(['tt admin task add Design --project Acme/Website', 'tt admin task add Review'], (command) =>
      command
        .argument('<name>', 'its name')
        .option('--project <project>', 'Project or Client/Project')
        .action(lazily(async () => (await load()).add)),
    ),
  )
  list(
    task,
    'list',
    'list tasks',
    ofDatabase(['tt admin task list', 'tt admin task list --json --database sqlite:team.db'], (command) =>
      command.action(lazily(async () => (await load()).list)),
    ),
  )
}

function declareExpenseType(type: Command, lazily: Lazily) {
  const load = () => import('../commands/admin/expense-type.js')
  const which = ['<name>', 'its name'] as const
  leaf(
    type,
    'add',
    'add an expense type',
    ofDatabase(
      ['tt admin expense-type add Travel', 'tt admin expense-type add Meals --database sqlite:team.db'],
      (command) => command.argument(...which).action(lazily(async () => (await load()).add)),
    ),
  )
  list(
    type,
    'list',
    'list expense types',
    ofDatabase(
      ['tt admin expense-type list', 'tt admin expense-type list --database sqlite:team.db'],
      (command) => command.action(lazily(async () => (await load()).list)),
    ),
  )
  leaf(
    type,
    'archive',
    'take an expense type out of use',
    ofDatabase(
      [
        'tt admin expense-type archive Travel',
        'tt admin expense-type archive Meals --database sqlite:team.db',
      ],
      (command) => command.argument(...which).action(lazily(async () => (await load()).archive)),
    ),
  )
}

/** A command on the database that `--database` names. */
function ofDatabase(lines: string[], declare: (command: Command) => Command): Declare {
  return (command) =>
    declare(command)
      .addOption(database())
      .addHelpText('after', examples(...lines))
}

const scope = () =>
  new Option(
    '--scope <scopes>',
    'what the token may do, separated by spaces; default: service:read service:write',
  )
