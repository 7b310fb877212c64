import { CancelledPrompt, errorMessage, TtError } from '../lib/errors.js'
import { createStyle } from '../ui/colour.js'
import { jsonText } from '../ui/formats/json.js'
import { escapeLines, wrapMessage } from '../ui/text.js'
import type { Host } from './host.js'
import { hintText } from './next-step-text.js'

interface ReportOptions {
  /** The words of the command line, which are shortened in the message if they are long. */
  argv: readonly string[]
  json: boolean
  color: boolean
  debug: boolean
}

/** Writes an error to standard error: as JSON, or as a message with a hint. */
export async function reportError(error: unknown, { argv, json, color, debug }: ReportOptions, host: Host) {
  const { stderr } = host
  const shorten = shortenerOf(argv)
  const known = error instanceof TtError ? error : internalError(error)
  const printed = shortenError(known, shorten)
  const { message, hint } = printed
  if (json) stderr.write(`${jsonText(printed)}\n`)
  else if (error instanceof CancelledPrompt && stderr.isTTY) stderr.write('Cancelled. Nothing was changed.\n')
  else await writeError(`${message}${hint ? `\n${hint}` : ''}`, color, host)
  if (debug && !json) for (const line of stackTraces(error)) stderr.write(escapeLines(shorten(line)))
}

/** Writes an error after `error:`, which is red where standard error has colours. */
async function writeError(text: string, color: boolean, { stderr, env }: Host) {
  const { isTTY = false, columns } = stderr
  const { red } = await createStyle({ color, env, isTTY })
  const message = `${red('error:')} ${escapeLines(text)}`
  stderr.write(wrapMessage(message, isTTY ? columns : undefined))
}

function shortenError(error: TtError, shorten: (text: string) => string): TtError {
  const { code, message, status, candidates } = error
  const hint = hintText(error)
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
  return new TtError('failure', `Internal error: ${errorMessage(error)}`, {
    hint: 'This is a bug in tt. Add --debug for a stack trace.',
    cause: error,
  })
}

function* stackTraces(error: unknown): Generator<string> {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    yield cause.stack ?? cause.message
}
