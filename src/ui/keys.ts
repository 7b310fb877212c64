import { emitKeypressEvents } from 'node:readline'

/** A key, or pasted text. */
export type Key = { name: string } | { text: string } | { pasted: string }

interface KeyInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown
}

interface Keypress {
  name?: string
  ctrl?: boolean
  meta?: boolean
}

/** Reads single keys from a terminal. */
export class Keys {
  readonly #input: KeyInput
  readonly #onKey: (key: Key) => void
  readonly #onEnd: () => void
  #pasted: string | undefined

  /**
   * @param onKey receives a printable character as `text`, and other keys by their names, such as `up` or `ctrl-c`
   * @param onEnd called when the terminal is gone
   */
  constructor(input: KeyInput, onKey: (key: Key) => void, onEnd: () => void) {
    this.#input = input
    this.#onKey = onKey
    this.#onEnd = onEnd
  }

  start() {
    emitKeypressEvents(this.#input)
    this.#input.setRawMode?.(true)
    this.#input.on('keypress', this.#handle)
    this.#input.on('end', this.#onEnd)
    // It stays: without a listener, the end of the terminal would be a crash.
    this.#input.off('error', this.#onEnd).on('error', this.#onEnd)
    this.#input.resume()
  }

  stop() {
    this.#input.off('keypress', this.#handle)
    this.#input.off('end', this.#onEnd)
    try {
      this.#input.setRawMode?.(false)
    } catch {
      // The terminal is gone.
    }
    this.#input.pause()
  }

  readonly #handle = (text: string | undefined, { name, ctrl, meta }: Keypress) => {
    if (name === 'paste-start') this.#pasted = ''
    else if (name === 'paste-end') {
      this.#onKey({ pasted: this.#pasted ?? '' })
      this.#pasted = undefined
    } else if (this.#pasted !== undefined) this.#pasted += text ?? ''
    else if (ctrl && name) this.#onKey({ name: `ctrl-${name}` })
    else if (text !== undefined && !meta && /^[^\p{Cc}]+$/u.test(text)) this.#onKey({ text })
    else if (name) this.#onKey({ name })
  }
}
