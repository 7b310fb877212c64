import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Jq, type JqResult, loadJq } from 'jq-wasm'
import { TtError } from '../../lib/errors.js'

/** What an expression made of JSON. */
export interface FilteredJson {
  /** The results, each ending in a newline; strings without quotes. */
  text: string
  /** What `debug` and `stderr` of the expression print. */
  messages: string
  /** The first error of the evaluation. Its results up to there are in `text`. */
  error?: TtError
}

/** How results are printed. */
export interface Presentation {
  /** Whether arrays and objects are indented by two spaces, instead of one result on each line. */
  isIndented: boolean
  /** Returns the printed form of a line of a result that is no string. */
  showJson(line: string): string
  /** Returns the printed form of a result that is a string. */
  showString(text: string): string
}

/** The presentation of `jq --compact-output --raw-output`. */
export const compactPresentation: Presentation = {
  isIndented: false,
  showJson: (line) => line,
  showString: (text) => text,
}

/** The number of errors that are printed: one expression can fail for each of many inputs. */
const shownErrors = 5

const succeeded = 'The command itself succeeded: only its output was not filtered.'

/** A jq expression (https://jqlang.org/manual/), as the program `jq --raw-output` evaluates it. */
export class JqFilter {
  readonly #jq: Jq
  readonly #program: string
  readonly #lineOffset: number

  private constructor(jq: Jq, expression: string, env: Readonly<Record<string, string | undefined>>) {
    this.#jq = jq
    // The environment inside WebAssembly is not that of the process.
    const usesEnvironment = /\b(ENV|env)\b/.test(expression)
    const prelude = usesEnvironment ? `${JSON.stringify(env)} as $ENV | def env: $ENV;\n` : ''
    this.#program = `${prelude}${expression}`
    this.#lineOffset = usesEnvironment ? 1 : 0
  }

  /**
   * Loads jq and compiles an expression. Throws TtError `usage` with the message of jq for an invalid one.
   *
   * @param env the variables of `$ENV` and `env`
   */
  static async create(
    expression: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<JqFilter> {
    const filter = new JqFilter(await loadJq({ wasmBinary: readFileSync(wasmFile()) }), expression, env)
    // Without input, jq compiles the program and evaluates nothing.
    const result = filter.#evaluate('')
    if (result === 'out of memory') throw invalidExpressionError(result)
    if (result.exitCode === 0) return filter
    const lines = result.stderr.split('\n').filter((line) => !/^jq: \d+ compile errors?$|^$/.test(line))
    throw invalidExpressionError(lines.map((line) => line.replace(/^jq: (error: )?/, '')).join('\n'))
  }

  /**
   * Evaluates the expression for each JSON value of a text. The text reaches jq unchanged, so that large numbers keep all
   * their digits.
   */
  apply(json: string, { isIndented, showJson, showString }: Presentation): FilteredJson {
    const result = this.#evaluate(json, isIndented ? ['--indent', '2'] : ['-c'])
    if (result === 'out of memory') return { text: '', messages: '', error: memoryError() }
    const { stdout, stderr, exitCode } = result
    // Strings are not decoded by jq, because jq-wasm removes white space around the whole output. Only a string that is a
    // whole result begins with a quotation mark: lines within one are indented.
    const showLine = (line: string) =>
      line.startsWith('"') ? showString(JSON.parse(line) as string) : showJson(line)
    const text = stdout === '' ? '' : `${stdout.split('\n').map(showLine).join('\n')}\n`
    const lines = stderr.split('\n')
    const start = lines.findIndex((line) => line.startsWith('jq: '))
    // The exit code is that of the last value.
    if (exitCode === 0 && start < 0) return { text, messages: stderr }
    return {
      text,
      messages: lines.slice(0, Math.max(start, 0)).join('\n'),
      error: evaluationError(lines.slice(Math.max(start, 0))),
    }
  }

  #evaluate(json: string, flags: string[] = []): JqResult | 'out of memory' {
    const { error: printError } = console
    try {
      // jq-wasm prints there how WebAssembly ended, and offers no other way to receive or suppress that.
      console.error = () => {}
      const result = this.#jq.raw(json, this.#program, [...flags, '--'])
      const stderr = result.stderr.replace(
        /at <top-level>, line (\d+)/g,
        (_, line) => `at <top-level>, line ${Number(line) - this.#lineOffset}`,
      )
      return { ...result, stderr }
    } catch (error) {
      // An abort, or a full stack of WebAssembly or JavaScript. jq-wasm discards what jq has printed about it.
      if (error instanceof Error && /^(Runtime|Range)Error$/.test(error.name)) return 'out of memory'
      throw error
    } finally {
      console.error = printError
    }
  }
}

/** Returns the path of jq as WebAssembly: beside the built program, otherwise in its package. */
function wasmFile(): URL | string {
  const built = new URL('jq.wasm', import.meta.url)
  return existsSync(built) ? built : createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')
}

function invalidExpressionError(message: string): TtError {
  return new TtError('usage', `Invalid jq expression: ${message}`, {
    hint: 'See https://jqlang.org/manual/ for the language.',
  })
}

function memoryError(): TtError {
  return new TtError(
    'failure',
    'The jq expression failed: out of memory. The input or a result is too large, or the expression recurses too deeply.',
    {
      hint: `${succeeded} Use --ndjson, which filters one record after another, or --json and a pipe to the program jq.`,
    },
  )
}

function evaluationError(lines: readonly string[]): TtError {
  const messages = lines.map((line) => line.replace(/^jq: (error )?(\(at [^)]*\):? ?)?/, ''))
  const more = messages.length - shownErrors
  const shown = [...messages.slice(0, shownErrors), ...(more > 0 ? [`and ${more} more errors`] : [])]
  return new TtError('failure', `The jq expression failed: ${shown.join('\n')}`, {
    hint: succeeded,
  })
}
