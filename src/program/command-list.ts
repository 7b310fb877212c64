export const programSummary = 'Track time from the command line, on this machine or with a service.'

/** The top-level commands with their summaries, in the groups and the order of `tt --help`. */
export const commandGroups = {
  Timer: {
    start: 'start a timer; stops the running one first',
    stop: 'stop the running timer',
    status: 'show the running timer',
    watch: 'show the timer and the entries of today as they change',
    cancel: 'discard the running timer',
    continue: 'resume the last entry',
  },
  Entries: {
    add: 'add a finished entry',
    edit: 'edit entries, with options or in an editor',
    split: 'split an entry into two or more',
    join: 'merge entries into one',
    fill: 'extend an entry to fill the gaps around it',
    show: 'show all fields of an entry',
    rm: 'delete entries',
    undo: 'undo the last change to entries, expenses or names',
    redo: 'redo the last undone change',
    log: 'list entries (default: the last 7 days)',
    report: 'sum up entries (default: the last 7 days)',
    check: 'find gaps, overlaps, missing notes (default: the last 7 days)',
    timesheet: 'show a grid of tasks and days (default: this week)',
    import: 'import entries from other time trackers',
    export: 'export entries for other programs (default: all entries)',
  },
  Workspace: {
    projects: 'list, add and change projects',
    clients: 'list, add and change clients',
    tasks: 'list, add and change tasks',
    assignments: 'list your project assignments',
    company: 'show your company',
    tags: 'list and rename tags in notes',
    frequent: 'list the tasks used most in the last 7 days',
    expenses: 'list, add, edit and delete expenses',
  },
  Accounts: {
    login: 'sign in to a service',
    logout: 'sign out of a service and revoke its tokens',
    whoami: 'show the signed-in account, its service and token expiry',
    profiles: 'list, select and remove profiles',
  },
  Maintenance: {
    config: 'list, set and unset settings',
    alias: 'list and set aliases of commands',
    sync: 'send pending changes to the service',
    remind: 'remind of timers and missing time',
    backup: 'save your data and pending changes to a file',
    restore: 'replace your data with a backup, after saving the current data',
    doctor: 'check everything tt depends on and suggest fixes',
    completion: 'print a completion script for a shell',
  },
  Service: {
    api: 'send an API request',
    serve: 'serve the API for a team',
    mcp: 'serve AI agents over the Model Context Protocol',
    admin: 'administer the local workspace or a hosted database',
  },
  Help: {
    help: 'show help for a command or topic',
    schema: 'print the JSON Schema of the output of commands',
  },
} as const

const { Timer, Entries, Workspace, Accounts, Maintenance, Service, Help } = commandGroups

/** The summaries of all top-level commands. */
export const summaries = {
  ...Timer,
  ...Entries,
  ...Workspace,
  ...Accounts,
  ...Maintenance,
  ...Service,
  ...Help,
} as const

export type CommandName = keyof typeof summaries

/** The commands of `tt help`, which a user needs in the first week; `tt help --all` lists the others too. */
export const everydayCommands: readonly CommandName[] = [
  ...(['start', 'stop', 'status', 'continue', 'watch', 'add', 'edit', 'rm', 'undo'] as const),
  ...(['log', 'report', 'check', 'projects', 'import', 'login'] as const),
]

/** Whether a word names a top-level command, which no alias can replace. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(summaries, name)
}

const entryTimeOptions = { '--start': 'Use `--from` instead.', '--end': 'Use `--to` instead.' }
const startTimeOptions = { '--start': 'Use `--at` instead.', '--from': 'Use `--at` instead.' }
const periodBoundOptions = {
  '--start': 'Use `--since` instead.',
  '--from': 'Use `--since` instead.',
  '--end': 'Use `--until` instead.',
  '--to': 'Use `--until` instead.',
}

/** Options of other commands or time trackers that a command lacks, by the command, and what to use instead. */
export const equivalentOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tt start': startTimeOptions,
  'tt continue': startTimeOptions,
  'tt stop': { '--end': 'Use `--at` instead.', '--to': 'Use `--at` instead.' },
  'tt add': entryTimeOptions,
  'tt edit': entryTimeOptions,
  'tt log': periodBoundOptions,
  'tt report': periodBoundOptions,
  'tt check': periodBoundOptions,
  'tt timesheet': periodBoundOptions,
  'tt export': {
    ...periodBoundOptions,
    '--csv': 'Use `--format csv` instead.',
    '--ical': 'Use `--format ical` instead.',
    '--markdown': 'Use `--format csv`, or `tt log --markdown`.',
    '--template': 'Use `--format csv`, or `tt log --template`.',
    '--fields': 'Use `--format csv` for all fields, or `tt log --csv --fields` to choose them.',
  },
  'tt tags list': periodBoundOptions,
  'tt expenses list': periodBoundOptions,
  'tt expenses report': periodBoundOptions,
  'tt admin report': periodBoundOptions,
}

/** What replaces the removed options for periods; COMMAND is the typed command. */
const removedPeriodOptions = Object.fromEntries(
  ['today', 'yesterday', 'week', 'month', 'quarter', 'year'].map((period) => [
    `--${period}`,
    `Use \`COMMAND ${period}\`.`,
  ]),
)

/** What replaces the removed options of reports. The key "--html=" is the option with a value. */
const removedPageOptions = {
  '--html=': 'Use `COMMAND -o FILE.html`.',
  '--pdf': 'Use `COMMAND -o FILE.pdf`.',
  '--groups': 'The page lists as many groups as fit; `COMMAND --csv` lists all.',
}

/** Removed options by the command, and what replaces each; COMMAND is the typed command. */
export const removedOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tt log': { ...removedPeriodOptions, '--ical': 'Use `COMMAND -o FILE.ics`, or `tt export --format ical`.' },
  'tt report': {
    ...removedPeriodOptions,
    ...removedPageOptions,
    ...Object.fromEntries(
      ['--gaps', '--overlaps', '--long', '--without-notes', '--git'].map((option) => [
        option,
        `Use \`tt check ${option}\`.`,
      ]),
    ),
  },
  'tt timesheet': removedPeriodOptions,
  'tt export': removedPeriodOptions,
  'tt tags list': removedPeriodOptions,
  'tt expenses list': removedPeriodOptions,
  'tt expenses report': removedPeriodOptions,
  'tt admin report': { ...removedPeriodOptions, ...removedPageOptions },
}

/** Names that users expect, such as commands of other time trackers, and the equivalent command of tt. */
export const equivalentCommands: Readonly<Record<string, string>> = {
  ls: 'tt log',
  list: 'tt log',
  links: 'tt tasks',
  resume: 'tt continue',
  pause: 'tt stop',
  end: 'tt stop',
  delete: 'tt rm',
  remove: 'tt rm',
  switch: 'tt start',
  track: 'tt add',
  note: 'tt edit --append-notes TEXT',
  summary: 'tt report',
  day: 'tt report today',
  today: 'tt report today',
  yesterday: 'tt report yesterday',
  week: 'tt report week',
  month: 'tt report month',
  balance: 'tt report month',
  invoice: 'tt report last month -o report.html',
  gaps: 'tt check --gaps',
  overlaps: 'tt check --overlaps',
  merge: 'tt projects merge',
  rename: 'tt projects rename',
  archive: 'tt projects archive',
  settings: 'tt config',
  target: 'tt config set target.weekly 40h',
  rate: 'tt config set rate 80EUR',
}
