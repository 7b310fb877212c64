import { Command } from 'commander'
import {
  database,
  declareInside,
  declareOnDemand,
  declareOnly,
  examples,
  gathered,
  group,
  type Invoke,
  type Lazily,
  lazilyInto,
  leaf,
  list,
  where,
  withCommon,
  withEntryFilters,
  withPeriod,
} from './program/declaring.js'
import { version } from './version.js'

/** What the tree needs of whoever runs it. */
export interface ProgramHost {
  invoke: Invoke
  /** Takes help and version. */
  writeOut(text: string): void
  /** Takes the help of a group of commands that was given none. */
  writeErr(text: string): void
}

/** Declares commands in a parent. */
type Part = (parent: Command, lazily: Lazily) => void

/** What is declared in a file of its own, which is loaded for these words alone. */
const parts = {
  mending: [['split', 'join', 'fill'], async () => (await import('./program/entries.js')).declareMending],
  report: [['report'], async () => (await import('./program/report.js')).declareReport],
  expenses: [['expenses'], async () => (await import('./program/expenses.js')).declareExpenses],
  accounts: [
    ['login', 'logout', 'whoami', 'profiles'],
    async () => (await import('./program/account.js')).declareAccounts,
  ],
  sync: [['sync'], async () => (await import('./program/sync.js')).declareSync],
  config: [['config'], async () => (await import('./program/config.js')).declareConfig],
  admin: [['admin'], async () => (await import('./program/admin.js')).declareAdmin],
  completion: [['completion'], async () => (await import('./program/completion.js')).declareCompletion],
  help: [
    ['help'],
    async () => {
      const { declareHelp } = await import('./program/help.js')
      return (program, lazily) => declareHelp(program, lazily, wholeTree)
    },
  ],
} satisfies Record<string, [words: string[], load: () => Promise<Part>]>

type Parts = { [Name in keyof typeof parts]?: Part }

const wholeTree = (write: (text: string) => void) =>
  createProgram({ invoke: async () => {}, writeOut: write, writeErr: write })

async function partsFor(word: string | undefined): Promise<Parts> {
  const wanted = Object.entries(parts).filter(([, [words]]) => word === undefined || words.includes(word))
  return Object.fromEntries(await Promise.all(wanted.map(async ([name, [, load]]) => [name, await load()])))
}

/**
 * The command tree: names, arguments, options, help and examples, and one lazy import an action. What is inside a
 * command is declared when it is parsed or listed, so that one command line pays for one command.
 *
 * Parsing hands what was asked for to the host. Nothing exits: commander's errors are thrown.
 *
 * @param word the first of the command line: when it names a command, the tree holds that command alone
 */
export async function createProgram(host: ProgramHost, word?: string): Promise<Command> {
  const program = declared(host, await partsFor(word), word)
  if (word === '__complete') {
    const { declareComplete } = await import('./program/complete.js')
    declareComplete(program, lazilyInto(host.invoke), (first) => createProgram(host, first))
  }
  return program.commands.length === 0 ? declared(host, await partsFor(undefined)) : program
}

function declared(host: ProgramHost, parts: Parts, word?: string): Command {
  const lazily = lazilyInto(host.invoke)
  const program = new Command('tt')
    .description('Track time from the command line, on this machine or with a service.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: host.writeOut, writeErr: host.writeErr, outputError: () => {} })
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
    })
  declareOnDemand(program)
  // Before a word that is a command there are no options to be read.
  if (word === undefined) withCommon(program)
  else declareOnly(program, word)

  program.commandsGroup('The timer:')
  leaf(program, 'start', 'start the timer; what runs is stopped at that moment first', (command) =>
    command
      .argument(
        '[task]',
        'task link: its id, or words of client/project/task; without it, on a terminal, a list',
      )
      .option('-n, --notes <text>', 'what you are doing')
      .option('--at <time>', 'when it started (9:30, -15m, "yesterday 17:00"); default: now')
      .option('--trim', 'end what ended after that then, without asking')
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt start Website/Design -n "first page"',
          'tt start design --at 9:30',
          'tt start 12 --at -15m --trim',
        ),
      )
      .action(lazily(() => import('./commands/start.js'))),
  )
  leaf(program, 'stop', 'stop the timer', (command) =>
    command
      .option('--at <time>', 'when it stopped; default: now')
      .option('-n, --notes <text>', 'replace the notes')
      .addHelpText('after', examples('tt stop', 'tt stop --at 17:30', 'tt stop -n "review done"'))
      .action(lazily(() => import('./commands/stop.js'))),
  )
  leaf(program, 'status', 'show the running timer', (command) =>
    command
      .option('--cached', 'what this machine knows, without the network')
      .option('--template <text>', "one line such as '{label} {duration}', and nothing without a timer")
      .addHelpText(
        'after',
        examples(
          'tt status',
          'tt status --json | jq .duration_seconds',
          "tt status --cached --template '{label} since {from}'",
        ),
      )
      .action(lazily(() => import('./commands/status.js'))),
  )
  leaf(program, 'cancel', 'throw the running timer away', (command) =>
    command
      .addHelpText('after', examples('tt cancel', 'tt cancel --yes'))
      .action(lazily(() => import('./commands/cancel.js'))),
  )
  leaf(program, 'continue', 'start again what ran last', (command) =>
    command
      .argument('[entry]', 'an id, or @1 for the last finished entry, @2 for the one before it')
      .option('--pick', 'pick the entry out of the recent ones')
      .option('--at <time>', 'when it started; default: now')
      .option('--trim', 'end what ended after that then, without asking')
      .option('-n, --notes <text>', 'other notes than those of the entry')
      .addHelpText('after', examples('tt continue', 'tt continue @2'))
      .action(lazily(() => import('./commands/continue.js'))),
  )

  program.commandsGroup('Entries:')
  leaf(program, 'add', 'record time that has passed', (command) =>
    command
      .argument('<task>', 'task link: its id, or words of client/project/task')
      .option('--from <time>', 'when it began')
      .option('--to <time>', 'when it ended')
      .option('--for <duration>', 'how long it took (1h30m, 90m, 1.5h, 1:30)')
      .option('-n, --notes <text>', 'what you did')
      .option('--external-id <id>', "another system's id of the entry")
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt add Website/Design --from 9:30 --to 11:00',
          'tt add design --from "yesterday 14:00" --for 1h30m -n "second page"',
        ),
      )
      .action(lazily(() => import('./commands/add.js'))),
  )
  leaf(program, 'edit', 'change entries; without options, in your editor ($VISUAL or $EDITOR)', (command) =>
    command
      .argument(
        '[entry...]',
        'ids, @ for the running one, @1 for the last finished one; default: @, or else @1',
      )
      .option('--pick', 'pick the entry out of the recent ones')
      .option('--from <time>', 'another start')
      .option('--to <time>', 'another end')
      .option('--for <duration>', 'another length')
      .option('--task <task>', 'another task')
      .option('-n, --notes <text>', 'other notes')
      .option('--create', 'create the task, even if a similar one exists (local workspace)')
      .addHelpText(
        'after',
        examples(
          'tt edit --from 9:15',
          'tt edit @1 --for 45m',
          'tt edit 12 13 --task Website/Review',
          'tt edit @1 @2',
        ),
      )
      .action(lazily(() => import('./commands/edit.js'))),
  )
  parts.mending?.(program, lazily)
  leaf(program, 'show', 'show one entry, whole', (command) =>
    command
      .argument('[entry]', 'an id, @ for the running one, @1 for the last finished one')
      .option('--external-id <id>', "find it by another system's id")
      .addHelpText('after', examples('tt show @', 'tt show 12 --json', 'tt show --external-id TICKET-7'))
      .action(lazily(() => import('./commands/show.js'))),
  )
  leaf(program, 'rm', 'delete entries', (command) =>
    command
      .argument('[entry...]', 'ids, @ or @1; without any, on a terminal, a list')
      .option('--pick', 'pick the entry out of the recent ones')
      .addHelpText('after', examples('tt rm @1', 'tt rm 12 13 --yes'))
      .action(lazily(() => import('./commands/rm.js'))),
  )
  leaf(program, 'undo', 'take back the last change of entries or expenses', (command) =>
    command
      .argument('[n]', 'how many changes; default: 1')
      .option('--list', 'show what would be undone, the latest first')
      .addHelpText('after', examples('tt undo', 'tt undo 3', 'tt undo --list'))
      .action(lazily(() => import('./commands/undo.js'))),
  )
  list(program, 'log', 'list entries; by default those of the last 7 days', (command) =>
    withEntryFilters(withPeriod(command))
      .option('--limit <n>', 'the newest n')
      .option('--template <text>', "a line for each, such as '{day} {from} {duration} {label}'")
      .option('--ical', 'print an iCalendar file (RFC 5545)')
      .addHelpText(
        'after',
        examples(
          'tt log --week',
          'tt log --since 2024-05-01 --project Website --csv',
          "tt log --quarter --client Acme --task '!Travel' --billable",
          'tt log --today --json | jq length',
          'tt log --month --ical > may.ics',
        ),
      )
      .action(lazily(() => import('./commands/log.js'))),
  )
  parts.report?.(program, lazily)

  program.commandsGroup('The workspace:')
  list(program, 'projects', 'projects you can see', (command) =>
    command
      .addOption(where())
      .addHelpText('after', examples('tt projects', 'tt projects --where name_cont=web'))
      .action(lazily(() => import('./commands/projects.js'))),
  )
  list(program, 'clients', 'clients you can see', (command) =>
    command
      .addOption(where())
      .addHelpText('after', examples('tt clients', 'tt clients --json'))
      .action(lazily(() => import('./commands/clients.js'))),
  )
  list(program, 'tasks', 'tasks of the company', (command) =>
    command
      .addOption(where())
      .addHelpText('after', examples('tt tasks', 'tt tasks --csv'))
      .action(lazily(() => import('./commands/tasks.js'))),
  )
  list(program, 'links', 'task links: project and task combinations you can track time on', (command) =>
    command
      .addOption(where())
      .addHelpText('after', examples('tt links', 'tt links --fields id,label'))
      .action(lazily(() => import('./commands/links.js'))),
  )
  list(program, 'assignments', 'your project assignments', (command) =>
    command
      .addOption(where())
      .addHelpText('after', examples('tt assignments', 'tt assignments --fields project,starts_on,ends_on'))
      .action(lazily(() => import('./commands/assignments.js'))),
  )
  leaf(program, 'company', 'your company', (command) =>
    command
      .addHelpText('after', examples('tt company', 'tt company --json | jq -r .currency'))
      .action(lazily(() => import('./commands/company.js'))),
  )
  list(program, 'frequent', 'task links used most in the last 7 days', (command) =>
    command
      .addHelpText('after', examples('tt frequent', 'tt frequent --fields id,label'))
      .action(lazily(() => import('./commands/frequent.js'))),
  )

  group(program, 'expenses', 'list, add, change and delete expenses', (command) =>
    parts.expenses?.(command, lazily),
  )

  program.commandsGroup('Accounts:')
  parts.accounts?.(program, lazily)

  program.commandsGroup('Upkeep:')
  group(program, 'config', 'list, change and remove settings', (command) => parts.config?.(command, lazily))
  group(program, 'sync', 'deliver to the service what is kept on this machine', (command) =>
    parts.sync?.(command, lazily),
  )
  list(program, 'doctor', 'look at everything tt depends on, and say what to do', (command) =>
    command
      .addHelpText('after', examples('tt doctor', 'tt doctor --profile acme', 'tt doctor --json'))
      .action(lazily(() => import('./commands/doctor.js'))),
  )

  parts.completion?.(program, lazily)

  program.commandsGroup('The service:')
  leaf(program, 'api', 'make one request to the service', (command) =>
    command
      .argument('<method>', 'GET, POST, PATCH or DELETE')
      .argument('<path>', 'relative to the base URL, such as /timesheets')
      .option('-q, --query <field_matcher=value>', 'a filter (_eq, _gteq, _lt, _cont); repeatable', gathered)
      .option(
        '-f, --field <key=value>',
        'a field of the body (KEY:=JSON for other than text); repeatable',
        gathered,
      )
      .addHelpText(
        'after',
        examples(
          'tt api GET /timesheets -q time_start_gteq=2024-05-01',
          'tt api PATCH /timesheets/12 -f notes="second page"',
          'tt api POST /expenses -f expense.amount=12.50 -f expense.spent_on=2024-05-01',
        ),
      )
      .action(lazily(() => import('./commands/api.js'))),
  )
  leaf(program, 'serve', 'serve the API for a team, until it is stopped', (command) =>
    command
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--port <n>', 'port to listen on; 0 for any free one', '8320')
      .addOption(database())
      .option(
        '--public-url <origin>',
        'the address by which the world reaches it, such as https://time.example.com',
      )
      .option('--trust-proxy', 'believe the X-Forwarded-For of the proxy in front, which must set it itself')
      .addHelpText('after', examples('tt serve', 'tt serve --port 0 --database sqlite:team.db --json'))
      .action(lazily(() => import('./commands/serve.js'))),
  )

  group(
    program,
    'admin',
    'administer a database of your own: the local workspace, or the one that `tt serve` serves',
    (command) => parts.admin?.(command, lazily),
  )

  program.commandsGroup('Help:')
  parts.help?.(program, lazily)
  return program
}

/** Every command, declared: for whoever walks the tree. */
export function everyCommand(parent: Command): Command[] {
  return parent.commands.flatMap((command) => {
    declareInside(command)
    return [command, ...everyCommand(command)]
  })
}
