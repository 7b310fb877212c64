import type { Command } from 'commander'
import { version } from '../lib/version.js'
import { type CommandName, commandGroups, programSummary, summaries } from './command-list.js'
import { commonTitle, helpFlags, versionOption } from './common-options.js'
import { formatHelp } from './help-format.js'
import {
  createLazyAction,
  declareChildren,
  declareOnDemand,
  type Invocation,
  type Invoke,
  type LazyAction,
  limitToChild,
} from './lazy-commands.js'
import { withCommon } from './shared-options.js'
import { ProgramCommand } from './usage-error.js'

/** The functions that the caller of the program provides. */
export interface ProgramHost {
  invoke: Invoke
  /** Receives help and version. */
  writeOut(text: string): void
  /** Receives the help of a command group that was called without a subcommand. */
  writeErr(text: string): void
}

/** Declares commands in a parent. */
type Declaration = (parent: Command, lazyAction: LazyAction) => void
type LoadDeclaration = () => Promise<Declaration>

const timer = async () => (await import('./declarations/timer.js')).declareTimer
const entries = async () => (await import('./declarations/entries.js')).declareEntries
const reports = async () => (await import('./declarations/report.js')).declareReports
const workspace = async () => (await import('./declarations/workspace.js')).declareWorkspace
const accounts = async () => (await import('./declarations/account.js')).declareAccounts
const service = async () => (await import('./declarations/service.js')).declareService

/** The declaration of each command. One file may declare several, and is loaded only when one of them is needed. */
const declarations: Record<CommandName, LoadDeclaration> = {
  start: timer,
  stop: timer,
  status: timer,
  cancel: timer,
  continue: timer,
  add: entries,
  edit: entries,
  split: entries,
  join: entries,
  fill: entries,
  show: entries,
  rm: entries,
  undo: entries,
  redo: entries,
  log: entries,
  report: reports,
  timesheet: reports,
  export: async () => (await import('./declarations/export.js')).declareExport,
  projects: workspace,
  clients: workspace,
  tasks: workspace,
  links: workspace,
  assignments: workspace,
  company: workspace,
  frequent: workspace,
  tags: workspace,
  expenses: async () => (await import('./declarations/expenses.js')).declareExpenses,
  login: accounts,
  logout: accounts,
  whoami: accounts,
  profiles: accounts,
  config: async () => (await import('./declarations/config.js')).declareConfig,
  sync: async () => (await import('./declarations/sync.js')).declareSync,
  backup: async () => (await import('./declarations/backup.js')).declareBackup,
  doctor: async () => (await import('./declarations/doctor.js')).declareDoctor,
  completion: async () => (await import('./declarations/completion.js')).declareCompletion,
  api: service,
  serve: service,
  admin: async () => (await import('./declarations/admin.js')).declareAdmin,
  help: async () => {
    const { declareHelp } = await import('./declarations/help.js')
    return (program, lazyAction) => declareHelp(program, lazyAction, createWholeTree)
  },
}

const createWholeTree = (write: (text: string) => void) =>
  createProgram({ invoke: async () => {}, writeOut: write, writeErr: write })

/**
 * Creates the command tree: names, arguments, options, help and examples, with one lazy import per action. A command is
 * declared when it is parsed or listed, because a command line needs only one.
 *
 * Parsing passes an invocation to the host. Nothing exits: errors are thrown as TtError `usage`, and help and version as
 * errors of commander with exit code 0.
 *
 * @param name the first argument of the command line; if it names a command, the tree contains only that command
 */
export async function createProgram(host: ProgramHost, name?: string): Promise<Command> {
  return name !== undefined && Object.hasOwn(summaries, name)
    ? createTree(host, name as CommandName)
    : createTree(host)
}

/**
 * Returns the invocation of `tt __complete`, without parsing: the arguments are the command line to complete.
 *
 * @param args the arguments after `__complete`
 */
export async function loadCompletion(args: readonly string[], host: ProgramHost): Promise<Invocation> {
  const { completionInvocation } = await import('./completion-invocation.js')
  return completionInvocation(args, (name) => createProgram(host, name))
}

async function createTree(host: ProgramHost, name?: CommandName): Promise<Command> {
  const lazyAction = createLazyAction(host.invoke)
  const program = new ProgramCommand('tt')
    .description(programSummary)
    .usage('<command> [options]')
    .optionsGroup(commonTitle)
    .version(version, ...versionOption)
    .helpOption(helpFlags, 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: host.writeOut, writeErr: host.writeErr, outputError: () => {} })
    .configureHelp({
      formatHelp,
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
    })
  declareOnDemand(program)
  // Options of tt itself can only stand before the command.
  if (name !== undefined) limitToChild(program, name)
  else {
    withCommon(program)
    const { overviewText } = await import('./overview.js')
    program.helpInformation = overviewText
  }
  for (const [title, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(`${title}:`)
    const names =
      name === undefined ? (Object.keys(commands) as CommandName[]) : name in commands ? [name] : []
    for (const load of new Set(names.map((each) => declarations[each]))) (await load())(program, lazyAction)
  }
  return program
}

/** Returns every command below a parent, declared. */
export function everyCommand(parent: Command): Command[] {
  return parent.commands.flatMap((command) => {
    declareChildren(command)
    return [command, ...everyCommand(command)]
  })
}
