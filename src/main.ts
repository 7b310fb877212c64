import { run } from './cli/command-runner.js'
import { type Host, processHost, type TextStream } from './cli/host.js'
import { pagedScreen, Stdout, writeAll } from './cli/output/stdout.js'
import { EndedByInterrupt, exitStatus, TtError } from './lib/errors.js'
import type { ProgramHost } from './program/program.js'
import { escapeLines } from './ui/text.js'

/**
 * Runs one command line. Resolves to its exit status when all output is written, also after an unexpected error.
 *
 * @param argv the arguments after `tt`
 */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  const line = new CommandLine(argv, host)
  try {
    const status = await Promise.race([line.execute(), rejectOnInterrupt(host)])
    await line.output.end()
    return status ?? 0
  } catch (error) {
    return line.finish(error)
  }
}

function rejectOnInterrupt(host: Host): Promise<never> {
  return new Promise((_, reject) =>
    host.onInterrupt(() => reject(new TtError('interrupted', 'Interrupted.'))),
  )
}

/** A command line, which loads only what its first word needs. */
class CommandLine implements ProgramHost {
  readonly output: Stdout
  readonly #argv: readonly string[]
  readonly #host: Host
  /** Whether errors are printed as JSON. */
  #json: boolean
  #help = ''
  #groupHelp = ''

  constructor(argv: readonly string[], host: Host) {
    this.#argv = argv
    this.#host = host
    this.output = new Stdout(host.stdout)
    this.#json = hasOption(argv, '--json')
  }

  /** Resolves to the exit status of another program that the line runs; otherwise to undefined. */
  async execute(): Promise<number | undefined> {
    const host = this.#host
    const [name, ...rest] = this.#argv
    if (name === undefined) {
      const { dayInvocation } = await import('./program/day-invocation.js')
      await this.invoke(dayInvocation({ isTerminal: host.stdout.isTTY === true }))
      return undefined
    }
    if (rest.length === 0 && ['-h', '--help'].includes(name)) {
      const { overviewText } = await import('./program/help/overview.js')
      await this.#printHelp(overviewText())
      return undefined
    }
    if (name === '__deliver') {
      const { deliverInBackground } = await import('./cli/background/deliver.js')
      return deliverInBackground(rest, host)
    }
    const { createProgram, isCommand, loadCompletion } = await import('./program/program.js')
    if (name === '__complete') await this.invoke(await loadCompletion(rest, this))
    else if (isCommand(name)) await (await createProgram(this, name)).parseAsync(this.#argv, { from: 'user' })
    else return this.#executeAlias()
    return undefined
  }

  /** Runs a line whose first word names no command: it may be an alias, an option, or a mistake. */
  async #executeAlias(): Promise<number | undefined> {
    const host = this.#host
    const [{ createProgram }, { expandLine, usableAliases }, { finishInterruptedRestore }] =
      await Promise.all([
        import('./program/program.js'),
        import('./program/aliases.js'),
        import('./cli/context/finish-restore.js'),
      ])
    // It replaces the aliases too.
    await finishInterruptedRestore(host, (text) => host.stderr.write(escapeLines(text)))
    const expansion = expandLine(this.#argv, host.env)
    if (expansion?.kind === 'shell') {
      const { runShellAlias } = await import('./cli/shell-alias.js')
      return runShellAlias(expansion, host)
    }
    const words = expansion?.words ?? this.#argv
    this.#json = hasOption(words, '--json')
    const program = await createProgram(this, words[0], Object.keys(usableAliases(host.env)))
    await program.parseAsync(words, { from: 'user' })
    return undefined
  }

  readonly invoke: ProgramHost['invoke'] = async (invocation, untyped) => {
    this.#json = invocation.input.options.json === true
    if (!untyped) return run(invocation, this.#host, this.output)
    const { withConfiguration } = await import('./program/configuration.js')
    await run(withConfiguration(invocation, untyped, this.#host), this.#host, this.output)
  }

  readonly writeOut = (text: string) => {
    this.#help += text
  }

  readonly writeErr = (text: string) => {
    this.#groupHelp += text
  }

  /** Prints the requested help, or reports an error. Resolves to the exit status. */
  async finish(error: unknown): Promise<number> {
    const { stderr } = this.#host
    const exit = commanderExit(error)
    if (exit?.exitCode === 0)
      return this.#printHelp(this.#help).then(
        () => 0,
        (error) => this.finish(error),
      )
    if (exit) {
      stderr.write(await wrapped(this.#groupHelp, stderr))
      return exitStatus.usage
    }
    if (error instanceof EndedByInterrupt) return exitStatus.interrupted
    const { reportError } = await import('./cli/error-report.js')
    const [argv, json] = [this.#argv, this.#json]
    const color = !hasOption(argv, '--no-color')
    await reportError(error, { argv, json, color, debug: argv.includes('--debug') }, this.#host)
    return error instanceof TtError ? exitStatus[error.code] : exitStatus.failure
  }

  async #printHelp(text: string): Promise<void> {
    const host = this.#host
    const screen = pagedScreen(host, (warning) => host.stderr.write(escapeLines(warning)))
    await writeAll([await wrapped(text, host.stdout)], this.output, screen)
  }
}

/** Returns a help text for a stream: wrapped for a terminal. */
async function wrapped(text: string, { isTTY, columns }: TextStream): Promise<string> {
  const { wrapHelp } = await import('./ui/wrap-help.js')
  return wrapHelp(text, isTTY ? columns : undefined)
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
