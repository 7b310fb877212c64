import { run } from './cli/command-runner.js'
import { type Host, processHost } from './cli/host.js'
import { pagedScreen, Stdout, writeAll } from './cli/output/stdout.js'
import type { TextStream } from './cli/output/text-stream.js'
import { CancelledPrompt, EndedByInterrupt, errorMessage, exitStatus, TtError } from './lib/errors.js'
import type { ProgramHost } from './program/program.js'
import { jsonText } from './ui/formats/json.js'
import { escapeLines, wrapMessage } from './ui/text.js'
import { wrapHelp } from './ui/wrap-help.js'

/**
 * Runs one command line. Resolves to its exit status when all output is written, also after an unexpected error.
 *
 * @param argv the arguments after `tt`
 */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  const output = new Stdout(host.stdout)
  let json = hasOption(argv, '--json')
  let help = ''
  let groupHelp = ''
  const programHost: ProgramHost = {
    async invoke(invocation, untyped) {
      json = invocation.input.options.json === true
      await (untyped ? runConfigured(invocation, untyped) : run(invocation, host, output))
    },
    writeOut: (text) => {
      help += text
    },
    writeErr: (text) => {
      groupHelp += text
    },
  }
  try {
    const status = await Promise.race([execute(), rejectOnInterrupt(host)])
    await output.end()
    return status ?? 0
  } catch (error) {
    return finish(error)
  }

  async function runConfigured(...[typed, untyped = []]: Parameters<ProgramHost['invoke']>) {
    const [{ withConfiguration }, { namingSources }] = await Promise.all([
      import('./program/configuration.js'),
      import('./lib/naming-sources.js'),
    ])
    const { invocation, sources } = withConfiguration(typed, untyped, host)
    await run(invocation, host, output).catch((error: unknown) => {
      throw namingSources(error, sources)
    })
  }

  /** Resolves to the exit status of a shell alias; otherwise to undefined. */
  async function execute(): Promise<number | undefined> {
    const [name, ...rest] = argv
    if (name === undefined) {
      const { dayInvocation } = await import('./program/day-invocation.js')
      await programHost.invoke(dayInvocation({ isTerminal: host.stdout.isTTY === true }))
      return undefined
    }
    if (rest.length === 0 && ['-h', '--help'].includes(name)) {
      const { overviewText } = await import('./program/help/overview.js')
      await print(overviewText())
      return undefined
    }
    const { createProgram, isCommand, loadCompletion } = await import('./program/program.js')
    if (name === '__complete') {
      await programHost.invoke(await loadCompletion(rest, programHost))
      return undefined
    }
    if (name === '__deliver') {
      const { deliverInBackground } = await import('./cli/background/deliver.js')
      return deliverInBackground(rest, host)
    }
    let words = argv
    let aliases: string[] = []
    if (!isCommand(name)) {
      const [{ expandLine, usableAliases }, { finishInterruptedRestore }] = await Promise.all([
        import('./program/aliases.js'),
        import('./cli/context/finish-restore.js'),
      ])
      // It replaces the aliases too.
      await finishInterruptedRestore(host, (text) => host.stderr.write(escapeLines(text)))
      const expansion = expandLine(argv, host.env)
      if (expansion?.kind === 'shell') {
        const { runShellAlias } = await import('./cli/shell-alias.js')
        return runShellAlias(expansion, host)
      }
      words = expansion?.words ?? argv
      json = hasOption(words, '--json')
      aliases = Object.keys(usableAliases(host.env))
    }
    const program = await createProgram(programHost, words[0], aliases)
    await program.parseAsync(words, { from: 'user' })
    return undefined
  }

  async function finish(error: unknown): Promise<number> {
    const exit = commanderExit(error)
    if (exit?.exitCode === 0) return print(help).then(() => 0, finish)
    if (exit) {
      host.stderr.write(wrapHelp(groupHelp, widthOf(host.stderr)))
      return exitStatus.usage
    }
    if (error instanceof EndedByInterrupt) return exitStatus.interrupted
    await report(error, { argv, json, debug: argv.includes('--debug') }, host)
    return error instanceof TtError ? exitStatus[error.code] : exitStatus.failure
  }

  function print(text: string): Promise<void> {
    const screen = pagedScreen(host, (warning) => host.stderr.write(escapeLines(warning)))
    return writeAll([wrapHelp(text, widthOf(host.stdout))], output, screen)
  }
}

/** Returns the width of a terminal in cells; undefined elsewhere. */
function widthOf({ isTTY, columns }: TextStream): number | undefined {
  return isTTY ? columns : undefined
}

function rejectOnInterrupt(host: Host): Promise<never> {
  return new Promise((_, reject) =>
    host.onInterrupt(() => reject(new TtError('interrupted', 'Interrupted.'))),
  )
}

/** Whether a command line that is not parsed contains the option. */
function hasOption(argv: readonly string[], option: string): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes(option)
}

/** The error that commander throws instead of exiting, after help and version. */
interface CommanderExit extends Error {
  exitCode: number
}

/** Returns the error if it is one of commander, recognised by its code, because loading its class takes time. */
function commanderExit(error: unknown): CommanderExit | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('commander.') ? (error as CommanderExit) : undefined
}

interface ReportOptions {
  argv: readonly string[]
  json: boolean
  debug: boolean
}

async function report(error: unknown, { argv, json, debug }: ReportOptions, host: Host) {
  const { hintText } = await import('./cli/next-step-text.js')
  const shorten = shortenerOf(argv)
  const known = error instanceof TtError ? error : internalError(error)
  const printed = shortenError(known, hintText(known), shorten)
  const { message, hint } = printed
  if (json) host.stderr.write(`${jsonText(printed)}\n`)
  else if (error instanceof CancelledPrompt && host.stderr.isTTY)
    host.stderr.write('Cancelled. Nothing was changed.\n')
  else await writeError(`${message}${hint ? `\n${hint}` : ''}`, argv, host)
  if (debug && !json) for (const line of stackTraces(error)) host.stderr.write(escapeLines(shorten(line)))
}

/** Writes an error after `error:`, which is red where standard error has colours. */
async function writeError(text: string, argv: readonly string[], { stderr, env }: Host) {
  const { isTTY = false, columns } = stderr
  const { createStyle } = await import('./ui/colour.js')
  const { red } = await createStyle({ color: !hasOption(argv, '--no-color'), env, isTTY })
  const message = `${red('error:')} ${escapeLines(text)}`
  stderr.write(wrapMessage(message, isTTY ? columns : undefined))
}

function shortenError(
  { code, message, status, candidates }: TtError,
  hint: string | undefined,
  shorten: (text: string) => string,
): TtError {
  const details = { hint: hint && shorten(hint), status, candidates: candidates.map(shorten) }
  return new TtError(code, shorten(message), details)
}

/**
 * Returns a function that shortens arguments of more than 200 characters in a text, and also long quoted texts and words,
 * which may be parts of such an argument. It changes no text if no argument is that long.
 */
function shortenerOf(argv: readonly string[]): (text: string) => string {
  const long = argv.filter((word) => word.length > 200)
  if (long.length === 0) return (text) => text
  const cut = (text: string) => text.replace(/^(.{200}).+/su, '$1…')
  return (text) =>
    long
      .reduce((rest, word) => rest.replaceAll(word, () => cut(word)), text)
      .replace(/(["'`])([^"'`]{200})[^"'`]+\1/gu, '$1$2…$1')
      .replace(/(\S{200})\S{20,}/gu, '$1…')
}

function internalError(error: unknown): TtError {
  const message = errorMessage(error)
  return new TtError('failure', `Internal error: ${message}`, {
    hint: 'This is a bug in tt. Add --debug for a stack trace.',
    cause: error,
  })
}

function* stackTraces(error: unknown): Generator<string> {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    yield cause.stack ?? cause.message
}
