/** The calls of tools that are in progress. Changes are made one after the other, in the order of their calls. */
export class Calls {
  readonly #isSerial: boolean
  #lastChange: Promise<unknown> = Promise.resolve()
  readonly #inProgress = new Set<Promise<unknown>>()

  /**
   * @param isSerial whether calls that change nothing wait for the calls before them too: in the local workspace a change
   *   is a transaction, and a write of another connection of this process would wait for its end in vain
   */
  constructor({ isSerial }: { isSerial: boolean }) {
    this.#isSerial = isSerial
  }

  /** Runs a call that changes nothing. Throws the reason of the signal if the client has cancelled it. */
  read<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    return this.#isSerial ? this.change(signal, work) : this.#track(this.#start(signal, work))
  }

  /**
   * Runs a call after the changes before it. Throws the reason of the signal if the client cancels it before it begins;
   * afterwards it is completed, so that the change is made once or not at all.
   */
  change<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.then(() => this.#start(signal, work))
    this.#lastChange = result.catch(() => {})
    return this.#track(result)
  }

  /** Resolves when no call is in progress. */
  async idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.allSettled(this.#inProgress)
  }

  async #start<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted()
    return work()
  }

  #track<Result>(result: Promise<Result>): Promise<Result> {
    this.#inProgress.add(result)
    const forget = () => void this.#inProgress.delete(result)
    result.then(forget, forget)
    return result
  }
}
