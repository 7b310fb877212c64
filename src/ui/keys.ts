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

/** A key of the screen of `tt watch`, for its footer, its help and `tt watch --help`. */
interface WatchKey {
  /** Names of the keys; the footer shows the first one. */
  keys: readonly string[]
  /** What the footer shows instead. */
  symbol?: string
  action: WatchAction
  /** What the footer says while no timer is running, and while one is; without a text the key is not shown. */
  idle?: string
  running?: string
  meaning: string
  /** Whether a narrow footer omits it. */
  isOptional?: boolean
}

export type WatchAction = 'chooseTask' | 'stop' | 'continue' | 'edit' | 'undo' | 'scroll' | 'help' | 'quit'

export const watchKeys: readonly WatchKey[] = [
  {
    keys: ['s', '/'],
    action: 'chooseTask',
    idle: 'start',
    running: 'switch',
    meaning: 'start a task, or switch to another one; type to filter the list',
  },
  { keys: ['x'], action: 'stop', running: 'stop', meaning: 'stop the timer' },
  {
    keys: ['c'],
    action: 'continue',
    idle: 'continue',
    running: 'continue',
    meaning: 'continue the last entry',
    isOptional: true,
  },
  { keys: ['e'], action: 'edit', idle: 'edit', running: 'edit', meaning: 'edit an entry of today' },
  { keys: ['u'], action: 'undo', idle: 'undo', running: 'undo', meaning: 'undo the last change' },
  {
    keys: ['up', 'down'],
    symbol: '↑↓',
    action: 'scroll',
    idle: 'scroll',
    running: 'scroll',
    meaning: 'scroll',
    isOptional: true,
  },
  {
    keys: ['?'],
    action: 'help',
    idle: 'help',
    running: 'help',
    meaning: 'show what the keys do',
    isOptional: true,
  },
  { keys: ['q'], action: 'quit', idle: 'quit', running: 'quit', meaning: 'quit' },
]

/** Returns the keys and what they do. */
export function watchKeyRows(): { term: string; meaning: string }[] {
  return watchKeys.map(({ keys, meaning }) => ({ term: keys.join(', '), meaning }))
}
