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
    invoice: 'write, list and void invoices',
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
