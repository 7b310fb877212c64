import { Command } from 'commander'
import { version } from '../lib/version.js'
import {
  commandGroup,
  createLazyAction,
  declareChildren,
  declareOnDemand,
  declareOnly,
  type Invocation,
  type Invoke,
  type LazyAction,
  withCommon,
} from './lazy-commands.js'

/** What the tree needs of whoever runs it. */
export interface ProgramHost {
  invoke: Invoke
  /** Takes help and version. */
  writeOut(text: string): void
  /** Takes the help of a group of commands that was given none. */
  writeErr(text: string): void
}

/** Declares commands in a parent. */
type Part = (parent: Command, lazily: LazyAction) => void

/** What is declared in a file of its own, which is loaded for these words alone. */
const parts = {
  timer: [
    ['start', 'stop', 'status', 'cancel', 'continue'],
    async () => (await import('./declarations/timer.js')).declareTimer,
  ],
  entries: [
    ['add', 'edit', 'split', 'join', 'fill', 'show', 'rm', 'undo', 'redo', 'log'],
    async () => (await import('./declarations/entries.js')).declareEntries,
  ],
  report: [['report'], async () => (await import('./declarations/report.js')).declareReport],
  workspace: [
    ['projects', 'clients', 'tasks', 'links', 'assignments', 'company', 'frequent'],
    async () => (await import('./declarations/workspace.js')).declareWorkspace,
  ],
  expenses: [['expenses'], async () => (await import('./declarations/expenses.js')).declareExpenses],
  accounts: [
    ['login', 'logout', 'whoami', 'profiles'],
    async () => (await import('./declarations/account.js')).declareAccounts,
  ],
  sync: [['sync'], async () => (await import('./declarations/sync.js')).declareSync],
  config: [['config'], async () => (await import('./declarations/config.js')).declareConfig],
  doctor: [['doctor'], async () => (await import('./declarations/doctor.js')).declareDoctor],
  service: [['api', 'serve'], async () => (await import('./declarations/service.js')).declareService],
  admin: [['admin'], async () => (await import('./declarations/admin.js')).declareAdmin],
  completion: [['completion'], async () => (await import('./declarations/completion.js')).declareCompletion],
  help: [
    ['help'],
    async () => {
      const { declareHelp } = await import('./declarations/help.js')
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
  return program.commands.length === 0 ? declared(host, await partsFor(undefined)) : program
}

/**
 * What completion is asked for. Nothing is parsed for it: the words are somebody's, and not for `tt __complete` itself.
 *
 * @param given the words after `__complete`
 */
export async function completion(given: readonly string[], host: ProgramHost): Promise<Invocation> {
  const { completionOf } = await import('./complete.js')
  return completionOf(given, (word) => createProgram(host, word))
}

function declared(host: ProgramHost, parts: Parts, word?: string): Command {
  const lazily = createLazyAction(host.invoke)
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

  program.commandsGroup('Timer:')
  parts.timer?.(program, lazily)

  program.commandsGroup('Entries:')
  parts.entries?.(program, lazily)
  parts.report?.(program, lazily)

  program.commandsGroup('Workspace:')
  parts.workspace?.(program, lazily)
  commandGroup(program, 'expenses', 'list, add, edit and delete expenses', (command) =>
    parts.expenses?.(command, lazily),
  )

  program.commandsGroup('Accounts:')
  parts.accounts?.(program, lazily)

  program.commandsGroup('Maintenance:')
  commandGroup(program, 'config', 'list, set and unset settings', (command) =>
    parts.config?.(command, lazily),
  )
  commandGroup(program, 'sync', 'send pending changes to the service', (command) =>
    parts.sync?.(command, lazily),
  )
  parts.doctor?.(program, lazily)
  parts.completion?.(program, lazily)

  program.commandsGroup('Service:')
  parts.service?.(program, lazily)
  commandGroup(program, 'admin', 'administer the local workspace or a hosted database', (command) =>
    parts.admin?.(command, lazily),
  )

  program.commandsGroup('Help:')
  parts.help?.(program, lazily)
  return program
}

/** Every command, declared: for whoever walks the tree. */
export function everyCommand(parent: Command): Command[] {
  return parent.commands.flatMap((command) => {
    declareChildren(command)
    return [command, ...everyCommand(command)]
  })
}
