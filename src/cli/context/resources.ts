interface Resource {
  close(): void | Promise<void>
}

/** Databases that a command opens. The command runner closes them when the command ends. */
export class Resources {
  #opening: Promise<Resource>[] = []

  /** Registers a resource and returns it once it is open. */
  add<Opened extends Resource>(opening: Promise<Opened>): Promise<Opened> {
    this.#opening.push(opening)
    return opening
  }

  /** Closes every resource that could be opened, the last one first: it may need those before. */
  async close(): Promise<void> {
    for (const opening of this.#opening.splice(0).reverse()) {
      // An error of opening was already reported by the caller that opened it.
      const resource = await opening.catch(() => undefined)
      await resource?.close()
    }
  }
}
