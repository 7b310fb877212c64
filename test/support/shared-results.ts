/** Results of slow set-ups that several tests share, by name. A failed set-up is repeated by the next test. */
export class SharedResults<Result> {
  readonly #results = new Map<string, Promise<Result>>()

  get(name: string, setUp: () => Promise<Result>): Promise<Result> {
    const known = this.#results.get(name)
    if (known) return known
    const result = setUp()
    this.#results.set(name, result)
    result.catch(() => this.#results.delete(name))
    return result
  }
}
