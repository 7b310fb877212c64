import { CancelledPrompt, TtError } from '../../lib/errors.js'
import type { NextStep } from '../../lib/next-step.js'
import { ProgressIndicator, type ProgressLine } from '../../ui/progress.js'
import type { Prompts } from '../../ui/prompts.js'
import { escapeLines, escapeText, wrapMessage } from '../../ui/text.js'
import type { Style } from '../../ui/view.js'
import type { commonOptions, formatOptions } from '../common-options.js'
import type { Host, TextStream } from '../host.js'
import type { OptionValues } from '../input.js'
import { nextStepText } from '../next-step-text.js'
import type { AfterOutput } from './with-context.js'

/** The options of every command. `json` is true with `--jq`, unless the format is NDJSON. */
export type CommonOptions = Partial<OptionValues<typeof commonOptions>>

/** The options of the output, in addition to its formats. Only some commands have them. */
export interface OutputOptions extends Pick<OptionValues<typeof formatOptions>, 'fields' | 'raw'> {
  /** Whether the caller is a program in this process that uses the value of the command instead of its output. */
  usesValue?: boolean
  /** The template of a line. */
  template?: string
  /** Whether the command uses local data and sends no request to a service. */
  cached?: boolean
  /** Whether the output is an iCalendar file; only of a file that `--output` names. */
  ical?: boolean
}

export interface ConfirmOptions {
  /** Whether the facts only describe the change: `--yes` prints them as a message, and an error begins with the requirement. */
  isPreview?: boolean
  /** Exactly what is confirmed, such as records and their new fields: a confirmation that is given later is only for this. */
  subject?: unknown
}

/** Messages, prompts and progress of a command. */
export class Terminal {
  readonly #host: Host
  readonly #options: CommonOptions
  readonly #afterOutput: AfterOutput
  #progress: ProgressIndicator | undefined

  constructor(host: Host, options: CommonOptions, afterOutput: AfterOutput) {
    this.#host = host
    this.#options = options
    this.#afterOutput = afterOutput
  }

  /** Whether every deletion and every change of several records is confirmed, even if a person would not be prompted. */
  get confirmsSeveral(): boolean {
    return false
  }

  /** Whether every new task is confirmed, and created only with `--create`. */
  get confirmsCreation(): boolean {
    return false
  }

  /**
   * Prints the result of a change to stderr; silent under --quiet and --json.
   *
   * @param escapeWith escapes control characters, except in colours and links of this program
   */
  message(text: string, escapeWith = escapeLines) {
    if (!this.#options.quiet && !this.#options.json) this.#write(escapeWith(text))
  }

  /** Prints a warning to stderr; silent under --quiet. */
  warn(text: string, nextStep?: NextStep) {
    if (this.#options.quiet) return
    this.#write(escapeLines(nextStep ? `${text} ${nextStepText(nextStep)}` : text))
  }

  #write(text: string) {
    this.#progress?.clear()
    const { isTTY, columns } = this.#host.stderr
    this.#host.stderr.write(wrapMessage(text, isTTY ? columns : undefined))
  }

  /** Shows a progress line on a terminal if the command takes longer than half a second, until the line is ended. */
  withProgress(label: () => string): ProgressLine {
    const { quiet, json, debug } = this.#options
    this.#progress ??= new ProgressIndicator(this.#host, !quiet && !json && !debug)
    return this.#progress.start(label)
  }

  /** Yields the batches unchanged, and shows the number of records so far as progress. */
  async *countItems<Item>(
    batches: AsyncIterable<Item[]>,
    label: (count: string) => string,
  ): AsyncGenerator<Item[]> {
    let count = 0
    const progress = this.withProgress(() => (count === 0 ? '' : label(count.toLocaleString('en'))))
    try {
      for await (const batch of batches) {
        count += batch.length
        progress.tick()
        yield batch
      }
    } finally {
      progress.end()
    }
  }

  /** Removes the progress line and shows no further one. Call it before other output to the terminal. */
  endProgress() {
    this.#progress?.stop()
  }

  /** Returns the prompts, or undefined unless `isInteractive`. */
  async prompts(): Promise<Prompts | undefined> {
    if (!this.isInteractive) return undefined
    const [{ createPrompts }, { createStyle }] = await Promise.all([
      import('../../ui/prompts.js'),
      import('../../ui/colour.js'),
    ])
    const { stdin, promptOutput, env } = this.#host
    const style = await createStyle({ color: this.#options.color, env, isTTY: true })
    return createPrompts(stdin, promptOutput, style)
  }

  /** Returns the colours and the width in cells of stdout; the width is undefined if there is no limit. */
  async renderOptions(): Promise<{ style: Style; width: number | undefined }> {
    const { stdout, env } = this.#host
    const { createStyle } = await import('../../ui/colour.js')
    const style = await createStyle({ color: this.#options.color, env, isTTY: stdout.isTTY === true })
    if (!stdout.isTTY) return { style, width: undefined }
    const link = await this.#linker(stdout)
    return { style: link ? { ...style, link } : style, width: stdout.columns || 80 }
  }

  /** Returns the path of a file for a message, as a hyperlink if the terminal supports them. */
  async linkPath(path: string): Promise<string> {
    const link = await this.#linker(this.#host.stderr)
    const shown = escapeText(path)
    return link ? link(shown, path) : shown
  }

  async #linker({ isTTY }: TextStream) {
    if (!isTTY) return undefined
    const { createLinker } = await import('../../ui/colour.js')
    return createLinker({ color: this.#options.color, env: this.#host.env, isTTY })
  }

  /** Whether prompts are possible: on a terminal, without --no-input and --json. */
  get isInteractive(): boolean {
    const { input, json, jq } = this.#options
    if (input === false || json || jq !== undefined) return false
    return this.#host.stderr.isTTY === true && this.#host.stdin.isTTY === true
  }

  /** The reason why prompts are not possible, as a sentence. */
  get cannotPromptReason(): string {
    if (this.#options.jq !== undefined) return 'Cannot prompt under --jq.'
    if (this.#options.json) return 'Cannot prompt under --json.'
    return this.#options.input === false
      ? 'Cannot prompt under --no-input.'
      : 'Cannot prompt: not running in a terminal.'
  }

  /**
   * Prompts for confirmation and returns whether the user confirmed. Otherwise the command exits with `failure`, so that
   * `&&` runs no further commands. Throws TtError `usage` if it cannot prompt.
   *
   * @param facts further information for the decision. `--yes` prints it as a warning. Omit facts that the command
   *   prints at its end.
   */
  async confirm(
    question: string,
    facts?: string,
    { isPreview = false }: ConfirmOptions = {},
  ): Promise<boolean> {
    if (this.#options.yes) {
      if (facts !== undefined && isPreview) this.message(facts)
      else if (facts !== undefined) this.warn(facts)
      return true
    }
    const prompts = await this.prompts()
    if (!prompts) {
      const separator = facts?.includes('\n') ? '\n' : ' '
      const requirement = `Confirmation required: ${question.replace(/\?$/, '.')} ${this.cannotPromptReason}`
      const parts = [facts, requirement].filter((part) => part !== undefined)
      const text = (isPreview ? parts.reverse() : parts).join(separator)
      throw new TtError('usage', text, { hint: 'Add --yes to confirm.' })
    }
    if (facts !== undefined) this.#write(escapeLines(facts))
    const confirmed = await prompts.confirm(question)
    if (!confirmed) this.#afterOutput.fail(new CancelledPrompt('failure'))
    return confirmed
  }

  /**
   * Prompts for a part of a change that is confirmed as a whole, and returns whether the user wants it. False without a
   * prompt: `--yes` does not include it.
   */
  async confirmPart(question: string, facts: string): Promise<boolean> {
    const prompts = this.#options.yes ? undefined : await this.prompts()
    if (!prompts) return false
    this.#write(escapeLines(facts))
    return prompts.confirm(question)
  }
}
