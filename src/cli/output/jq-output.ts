import { TtError } from '../../lib/errors.js'
import { escapeControls } from '../../lib/text/control-characters.js'
import { createStyle } from '../../ui/colour.js'
import { selectableFormats } from '../../ui/formats/formats.js'
import { compactPresentation, JqFilter, type Presentation } from '../../ui/formats/jq.js'
import { colourJson } from '../../ui/formats/json.js'
import { escapeLines } from '../../ui/text.js'
import type { Invocation } from '../command.js'
import type { CommandRun } from '../command-runner.js'
import type { Host } from '../host.js'
import { Stdout, writeAll } from './stdout.js'

/**
 * Compiles the expression of `--jq`, and returns the command with JSON as its format, and an output that filters it.
 *
 * Throws TtError `usage` for an invalid expression, and for an output format other than JSON.
 */
export async function filterOutput(run: CommandRun): Promise<CommandRun> {
  const { invocation, host, output } = run
  const { input, nameOption = (flag: string) => flag } = invocation
  const { options } = input
  const other = selectableFormats.find(
    (name) => name !== 'json' && name !== 'ndjson' && options[name] !== undefined && options[name] !== false,
  )
  if (other !== undefined)
    throw new TtError('usage', `--jq and ${nameOption(`--${other}`)} cannot be used together.`, {
      hint: 'Use one of them: jq filters JSON.',
    })
  const filter = await JqFilter.create(String(options.jq), host.env)
  const presentation = await presentationFor(host, options)
  const filtered = new JqOutput(filter, presentation, host, output, { isDivided: options.ndjson === true })
  const json = options.ndjson ? options.json : true
  return {
    ...run,
    invocation: { ...invocation, input: { ...input, options: { ...options, json } } },
    // The command writes JSON to a program, also if its results are shown on a terminal.
    host: Object.create(host, { stdout: { value: filtered.input } }) as Host,
    output: filtered,
  }
}

/** Returns how results are printed: on a terminal indented, with colours and without control characters. */
async function presentationFor(
  { stdout, env }: Host,
  { color }: Invocation['input']['options'],
): Promise<Presentation> {
  if (!stdout.isTTY) return compactPresentation
  const style = await createStyle({ color: color !== false, env, isTTY: true })
  return {
    isIndented: true,
    showJson: (line) => colourJson(escapeControls(line), style),
    showString: escapeControls,
  }
}

/** Lines of JSON are filtered together until they have this number of characters: each run of jq takes a while. */
const batchLength = 256 * 1024

/**
 * Collects the JSON of each result of a command, and writes what the expression makes of it. JSON that is divided into
 * lines is filtered in batches, so that memory does not grow with the output.
 */
class JqOutput extends Stdout {
  readonly #filter: JqFilter
  readonly #presentation: Presentation
  readonly #host: Host
  readonly #output: Stdout
  readonly #isDivided: boolean
  #texts: string[] = []
  #length = 0
  #error: Error | undefined

  constructor(
    filter: JqFilter,
    presentation: Presentation,
    host: Host,
    output: Stdout,
    { isDivided }: { isDivided: boolean },
  ) {
    super(host.stdout)
    this.#isDivided = isDivided
    this.#filter = filter
    this.#presentation = presentation
    this.#host = host
    this.#output = output
  }

  /** The standard output that the command sees: no terminal. */
  readonly input: Host['stdout'] = {
    write: (text, done) => {
      this.#texts.push(text)
      done?.()
    },
  }

  override get isClosed(): boolean {
    return this.#output.isClosed
  }

  override async write(text: string): Promise<void> {
    this.#texts.push(text)
    this.#length += text.length
    if (!this.#isDivided || this.#length < batchLength) return
    const collected = this.#texts.splice(0).join('')
    const end = collected.lastIndexOf('\n') + 1
    this.#texts.push(collected.slice(end))
    this.#length = collected.length - end
    await this.#filterText(collected.slice(0, end))
  }

  /** Filters the result. Throws TtError `failure` if that fails, after writing what the expression returned before. */
  override async endResult(): Promise<void> {
    const json = this.#texts.splice(0).join('')
    this.#length = 0
    await this.#filterText(json)
    const error = this.#error
    this.#error = undefined
    if (error) throw error
    await this.#output.endResult()
  }

  async #filterText(json: string): Promise<void> {
    if (json === '') return
    const { stderr } = this.#host
    // An expression can run forever, and signals are handled only between two tasks.
    const restore = this.#host.endOnInterrupt?.()
    const { text, messages, error } = this.#filter.apply(json, this.#presentation)
    restore?.()
    if (messages !== '') stderr.write(escapeLines(messages))
    await writeAll([text], this.#output)
    // An error of one record does not end the others.
    this.#error ??= error
  }
}
