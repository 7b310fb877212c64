import { run } from './cli/command-runner.js'
import { type Host, processHost } from './cli/host.js'
import { pagedScreen, Stdout, writeAll } from './cli/stdout.js'
import { errorMessage, exitStatus, TtError } from './lib/errors.js'
import { completion, createProgram, type ProgramHost } from './program/program.js'
import { jsonText } from './ui/formats/json.js'
import { escapeLines } from './ui/text.js'

/**
 * Runs one command line and resolves to its exit status when everything is written out. The only `catch` of last
 * resort is here.
 *
 * @param argv the words after `tt`
 */
export async function main(argv: readonly string[], world: Host = processHost()): Promise<number> {
  const output = new Stdout(world.stdout)
  let json = wantsJson(argv)
  let asked = ''
  let helpOfGroup = ''
  const host: ProgramHost = {
    async invoke(invocation) {
      json = invocation.options.json === true
      await run(invocation, world, output)
    },
    writeOut: (text) => {
      asked += text
    },
    writeErr: (text) => {
      helpOfGroup += text
    },
  }
  try {
    await Promise.race([execute(), interruption(world)])
    await output.end()
    return 0
  } catch (error) {
    return finish(error)
  }

  async function execute() {
    const [word, ...rest] = argv
    if (word === '__complete') return host.invoke(await completion(rest, host))
    const program = await createProgram(host, word)
    await program.parseAsync(word === undefined ? ['--help'] : argv, { from: 'user' })
  }

  async function finish(error: unknown): Promise<number> {
    const said = commanderSaid(error)
    if (said?.exitCode === 0) {
      const screen = pagedScreen(world, (text) => world.stderr.write(escapeLines(text)))
      return writeAll([asked], output, screen).then(() => 0, finish)
    }
    if (said?.code === 'commander.help') {
      world.stderr.write(helpOfGroup)
      return exitStatus.usage
    }
    const told = said ? usageError(said) : error
    await report(told, { argv, json, debug: argv.includes('--debug') }, world)
    return told instanceof TtError ? exitStatus[told.code] : exitStatus.failure
  }
}

function interruption(world: Host): Promise<never> {
  return new Promise((_, reject) =>
    world.onInterrupt(() => reject(new TtError('interrupted', 'Interrupted.'))),
  )
}

/** Before the command line is parsed, or when it cannot be. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json')
}

interface CommanderError extends Error {
  code: string
  exitCode: number
}

/** What the command-line parser throws where it would exit; told by its code, so that the class need not be loaded. */
function commanderSaid(error: unknown): CommanderError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('commander.') ? (error as CommanderError) : undefined
}

function usageError({ message }: CommanderError): TtError {
  const [said = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/([^.])$/, '$1.')
  const near = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion)?.[1]
  const text = near ? `${sentence} Nearest: ${near}.` : sentence
  return new TtError('usage', text, {
    candidates: / Nearest: (.*)\.$/.exec(text)?.[1]?.split(', ') ?? [],
    hint: '`tt --help` and `tt COMMAND --help` show what there is.',
  })
}

interface Reporting {
  argv: readonly string[]
  json: boolean
  debug: boolean
}

async function report(error: unknown, { argv, json, debug }: Reporting, world: Host) {
  const { hintText } = await import('./cli/next-step.js')
  const shorten = shortenerOf(argv)
  const known = error instanceof TtError ? error : unexpected(error)
  const told = shortened(known, hintText(known), shorten)
  if (json) world.stderr.write(`${jsonText(told)}\n`)
  else world.stderr.write(escapeLines(`error: ${told.message}${told.hint ? `\n${told.hint}` : ''}`))
  if (debug && !json) for (const line of trail(error)) world.stderr.write(escapeLines(shorten(line)))
}

function shortened(
  { code, message, status, candidates }: TtError,
  hint: string | undefined,
  shorten: (text: string) => string,
): TtError {
  const details = { hint: hint && shorten(hint), status, candidates: candidates.map(shorten) }
  return new TtError(code, shorten(message), details)
}

/**
 * Returns a function that shortens arguments of more than 200 characters in a text, also parts of them: in quotes, and
 * as one word. Where no argument is that long, it returns every text as it is.
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

function unexpected(error: unknown): TtError {
  const message = errorMessage(error)
  return new TtError('failure', `Something went wrong inside tt: ${message}`, {
    hint: 'This is a defect. `--debug` shows where it happened.',
    cause: error,
  })
}

function* trail(error: unknown): Generator<string> {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    yield cause.stack ?? cause.message
}
