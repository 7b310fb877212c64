import type { Invocation } from '../cli/command.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { RecordedChange } from '../cli/recorded-change.js'
import { version } from '../lib/version.js'
import type { View } from '../ui/view.js'
import { type CommandName, commandGroups, isCommand, programSummary, summaries } from './command-list.js'

export { isCommand }

import { commonOptions, commonTitle, helpFlags, versionOption } from '../cli/common-options.js'
import { type Declaration, listOptions } from '../cli/declaration.js'
import { type Invoke, ProgramCommand } from './command-tree.js'
import { formatHelp, subcommandTerm } from './help/help-format.js'

/** The functions that the caller of the program provides. */
export interface ProgramHost {
  invoke: Invoke
  /** Receives help and version. */
  writeOut(text: string): void
  /** Receives the help of a command group that was called without a subcommand. */
  writeErr(text: string): void
}

const timer = () => import('./declarations/timer.js')
const entries = () => import('./declarations/entries.js')
const reports = () => import('./declarations/report.js')
const workspace = () => import('./declarations/workspace.js')
const accounts = () => import('./declarations/account.js')
const maintenance = () => import('./declarations/maintenance.js')
const service = () => import('./declarations/service.js')

/** The file that declares each command. One file may declare several, and is loaded only when one of them is needed. */
const files = checked({
  start: timer,
  stop: timer,
  status: timer,
  watch: timer,
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
  log: reports,
  report: reports,
  check: reports,
  timesheet: reports,
  import: () => import('./declarations/import.js'),
  export: () => import('./declarations/export.js'),
  projects: workspace,
  clients: workspace,
  tasks: workspace,
  assignments: workspace,
  company: workspace,
  frequent: workspace,
  tags: workspace,
  expenses: () => import('./declarations/expenses.js'),
  invoice: () => import('./declarations/invoice.js'),
  login: accounts,
  logout: accounts,
  whoami: accounts,
  profiles: accounts,
  config: () => import('./declarations/config.js'),
  alias: () => import('./declarations/alias.js'),
  sync: () => import('./declarations/sync.js'),
  remind: () => import('./declarations/remind.js'),
  backup: maintenance,
  restore: maintenance,
  doctor: maintenance,
  completion: maintenance,
  api: service,
  serve: service,
  mcp: () => import('./declarations/mcp.js'),
  admin: () => import('./declarations/admin.js'),
  help: () => import('./declarations/help.js'),
  schema: () => import('./declarations/schema.js'),
})

/** Returns the declaration of a top-level command. */
export async function loadDeclaration<Name extends CommandName>(name: Name): Promise<Declaration> {
  return (await files[name]()).commands[name]
}

/**
 * Creates the command tree from the declarations.
 *
 * Parsing passes an invocation to the host. Nothing exits: errors are thrown as TtError `usage`, and help and version as
 * errors of commander with exit code 0.
 *
 * @param name the first argument of the command line; if it names a command, the tree contains only that command
 * @param aliases further names that may be meant by an unknown command
 */
export async function createProgram(
  host: ProgramHost,
  name?: string,
  aliases: readonly string[] = [],
): Promise<ProgramCommand> {
  if (name !== undefined && isCommand(name)) return createTree(host, loadDeclaration, name)
  const program = await createTree(host, loadDeclaration)
  program.aliasNames = aliases
  return program
}

/**
 * Returns the invocation of `tt __complete`, without parsing: the arguments are the command line to complete.
 *
 * @param args the arguments after `__complete`
 */
export async function loadCompletion(args: readonly string[], host: ProgramHost): Promise<Invocation> {
  const { completionInvocation } = await import('./completion-invocation.js')
  const names = () => createTree(host, async (name) => ({ summary: summaries[name], commands: {} }))
  return completionInvocation(args, { root: (name) => createProgram(host, name), names })
}

async function createTree(
  host: ProgramHost,
  load: (name: CommandName) => Promise<Declaration>,
  only?: CommandName,
): Promise<ProgramCommand> {
  const program = new ProgramCommand('tt', host.invoke)
  program
    .description(programSummary)
    .usage('<command> [options]')
    .optionsGroup(`${commonTitle}:`)
    .version(version, ...versionOption)
    .helpOption(helpFlags, 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: host.writeOut, writeErr: host.writeErr, outputError: () => {} })
    .configureHelp({ formatHelp, subcommandTerm })
  program.buildOnDemand()
  // Options of tt itself can only stand before the command.
  if (only === undefined) {
    program.addOptionGroups([{ title: commonTitle, options: listOptions(commonOptions) }])
    const { overviewText } = await import('./help/overview.js')
    program.helpInformation = () => overviewText()
  }
  for (const [title, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(`${title}:`)
    for (const name of Object.keys(commands) as CommandName[])
      if (only === undefined || name === only) program.addDeclared(name, await load(name))
  }
  return program
}

/** Returns every command below a parent, built. */
export function everyCommand(parent: ProgramCommand): ProgramCommand[] {
  return parent.commands.flatMap((command) => [command, ...everyCommand(command.build())])
}

type Files = { [Name in CommandName]: () => Promise<{ commands: Record<Name, Declaration> }> }

/**
 * The compiler checks here that each command takes the input that follows from its declaration, and that its view shows what
 * it returns.
 */
function checked<
  Checked extends { [Name in CommandName]: () => Promise<Fitting<Awaited<ReturnType<Checked[Name]>>>> },
>(files: Checked & Files): Files {
  return files
}

type Fitting<Declared> = Declared extends { commands: infer Commands }
  ? { commands: { [Name in keyof Commands]: Fitting<Commands[Name]> } }
  : Declared extends { load(): Promise<{ run(...input: never): infer Result }> }
    ? { load(): Promise<FittingModule<Input<Declared>, Result>> }
    : never

interface FittingModule<Input, Result> {
  run: (ctx: Context, input: Input, recorded: RecordedChange) => Result
  // A method, whose value may have fewer types: some values are text and have no view.
  view?:
    | View<unknown>
    | { of(ctx: Context, value: NonNullable<Shown<Result>>, input: Input): View<never> }['of']
}

type Shown<Result> = Result extends AsyncIterable<infer Value> ? Value : Awaited<Result>
