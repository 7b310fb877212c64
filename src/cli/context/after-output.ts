import type { TtError } from '../../lib/errors.js'
import type { NextStep, Notice } from '../../lib/next-step.js'

/** Errors, warnings and work that a command defers until its output is written. The command runner completes them. */
export class AfterOutput {
  #error: TtError | undefined
  #warnings: Notice[] = []
  #work: (() => Promise<void>)[] = []
  #lastWork: (() => Promise<void>)[] = []

  /** Lets the command fail with this error after its output. Replaces an earlier error. */
  fail(error: TtError) {
    this.#error = error
  }

  /** The error of `fail`. */
  get error(): TtError | undefined {
    return this.#error
  }

  /** Prints a warning after the messages of the command. */
  warn(message: string, nextStep?: NextStep) {
    this.#warnings.push({ message, ...(nextStep && { nextStep }) })
  }

  /** Returns the warnings of `warn` and forgets them. */
  takeWarnings(): Notice[] {
    return this.#warnings.splice(0)
  }

  /** Runs this work after the output, so that it does not delay the output. */
  run(work: () => Promise<void>) {
    this.#work.push(work)
  }

  /** Runs this work after all other work of the command, also if the command or its output fails. It must not fail. */
  runAlways(work: () => Promise<void>) {
    this.#lastWork.push(work)
  }

  /** Runs the work of `run`, then that of `runAlways`. */
  async runWork(): Promise<void> {
    for (const work of this.#work.splice(0)) await work()
    await this.runLastWork()
  }

  /** Runs the work of `runAlways`, unless it has run. */
  async runLastWork(): Promise<void> {
    for (const work of this.#lastWork.splice(0)) await work()
  }
}
