import { TtError } from '../lib/errors.js'
import type { NextStep, Notice } from '../lib/next-step.js'
import { ProgressIndicator, type ProgressLine } from '../ui/progress.js'
import type { Prompts } from '../ui/prompts.js'
import { escapeLines, escapeText } from '../ui/text.js'
import type { Style } from '../ui/view.js'
import type { Host, TextStream } from './host.js'
import { nextStepText } from './next-step.js'

/** The options that every command takes. */
export interface CommonOptions {
  json?: boolean
  profile?: string
  /** false with --no-input */
  input?: boolean
  quiet?: boolean
  debug?: boolean
  yes?: boolean
  /** false with --no-color */
  color?: boolean
  /** JSON keys, separated by commas */
  fields?: string
  /** what a line is made like */
  template?: string
}

/** What a command says, asks and shows while it works. */
export class Terminal {
  readonly host: Host
  readonly options: CommonOptions
  #progress: ProgressIndicator | undefined
  #deferredWarnings: Notice[] = []
  #ending: TtError | undefined

  constructor(world: Host, options: CommonOptions) {
    this.host = world
    this.options = options
  }

  /**
   * Tells what was done; silent under --quiet, and under --json, where the value tells it. Nothing of it can drive the
   * terminal, but for what `safely` lets through.
   */
  message(text: string, safely = escapeLines) {
    if (!this.options.quiet && !this.options.json) this.#write(safely(text))
  }

  /** Tells what the user should know although the command succeeds; silent under --quiet. */
  warn(text: string, nextStep?: NextStep) {
    if (this.options.quiet) return
    this.#write(escapeLines(nextStep ? `${text} ${nextStepText(nextStep)}` : text))
  }

  #write(words: string) {
    this.#progress?.clear()
    this.host.stderr.write(words)
  }

  /** Shows somebody at a terminal what is waited for, until it ends, once the command takes longer than half a second. */
  label(words: () => string): ProgressLine {
    const { quiet, json, debug } = this.options
    this.#progress ??= new ProgressIndicator(this.host, !quiet && !json && !debug)
    return this.#progress.start(words)
  }

  /** The same batches; whoever waits for them is shown how many records have come. */
  async *countItems<Item>(
    batches: AsyncIterable<Item[]>,
    words: (count: string) => string,
  ): AsyncGenerator<Item[]> {
    let count = 0
    const waiting = this.label(() => (count === 0 ? '' : words(count.toLocaleString('en'))))
    try {
      for await (const batch of batches) {
        count += batch.length
        waiting.tick()
        yield batch
      }
    } finally {
      waiting.end()
    }
  }

  /** Shows nothing of what is waited for from now on: the terminal is needed for something else. */
  endProgress() {
    this.#progress?.stop()
  }

  /** Questions, where somebody can answer them: on a terminal, without --no-input and --json. */
  async prompts(): Promise<Prompts | undefined> {
    const { host } = this
    if (!this.isInteractive) return undefined
    const [{ createPrompts }, { fold }] = await Promise.all([
      import('../ui/prompts.js'),
      import('../lib/nearest-names.js'),
    ])
    return createPrompts(host.stdin, host.promptOutput, { columns: host.stderr.columns, fold })
  }

  /** What is written on at stdout: its colours, and its width in cells; undefined where there is no limit. */
  async renderOptions(): Promise<{ style: Style; width: number | undefined }> {
    const { stdout, env } = this.host
    const { createStyle } = await import('../ui/colour.js')
    const style = await createStyle({ color: this.options.color, env, isTTY: stdout.isTTY === true })
    if (!stdout.isTTY) return { style, width: undefined }
    const link = await this.#linker(stdout)
    return { style: link ? { ...style, link } : style, width: stdout.columns || 80 }
  }

  /** The path of a file in words for somebody, who may click on it where the terminal takes that. */
  async linked(path: string): Promise<string> {
    const link = await this.#linker(this.host.stderr)
    const shown = escapeText(path)
    return link ? link(shown, path) : shown
  }

  async #linker({ isTTY }: TextStream) {
    if (!isTTY) return undefined
    const { createLinker } = await import('../ui/hyperlinks.js')
    return createLinker({ color: this.options.color, env: this.host.env, isTTY })
  }

  /** Whether somebody can answer a question: at a terminal, without --no-input and --json. */
  get isInteractive(): boolean {
    const { options, host } = this
    if (options.input === false || options.json) return false
    return host.stderr.isTTY === true && host.stdin.isTTY === true
  }

  /** The sentence that says why there is no prompt. */
  get cannotPrompt(): string {
    if (this.options.json) return 'Cannot prompt under --json.'
    return this.options.input === false
      ? 'Cannot prompt under --no-input.'
      : 'Cannot prompt: not running in a terminal.'
  }

  /**
   * Prompts before something is deleted or overwritten, and returns whether to go on; if not, the command ends with
   * `failure`, so that a chain of commands stops there. Throws TtError `usage` where it cannot prompt.
   *
   * @param facts what the user has to know to answer, where the question does not say it: `--yes` answers the question
   *   and prints the facts, so that both ways print the same. Leave out what the command prints when it is done.
   */
  async confirm(question: string, facts?: string): Promise<boolean> {
    if (this.options.yes) {
      if (facts !== undefined) this.warn(facts)
      return true
    }
    const prompts = await this.prompts()
    if (!prompts) {
      const separator = facts?.includes('\n') ? '\n' : ' '
      const needed = `Needs confirmation: ${question.replace(/\?$/, '.')} ${this.cannotPrompt}`
      const text = facts === undefined ? needed : `${facts}${separator}${needed}`
      throw new TtError('usage', text, { hint: 'Add --yes to confirm.' })
    }
    if (facts !== undefined) this.#write(escapeLines(facts))
    const confirmed = await prompts.confirm(question)
    if (!confirmed) this.failAfterOutput(new TtError('failure', 'Nothing was changed.'))
    return confirmed
  }

  /** Ends the command with this error once its value is shown; replaces an error that was given before. */
  failAfterOutput(error: TtError) {
    this.#ending = error
  }

  /** The error of `afterwards`. */
  get ending(): TtError | undefined {
    return this.#ending
  }

  /** Tells at the end, after what the command says of its own, what the user should know; silent under --quiet. */
  warnAfterOutput(message: string, nextStep?: NextStep) {
    this.#deferredWarnings.push({ message, ...(nextStep && { nextStep }) })
  }

  /** Says what `warnLast` was told. */
  flushWarnings() {
    for (const { message, nextStep } of this.#deferredWarnings.splice(0)) this.warn(message, nextStep)
  }
}
