import { monotonicMs } from '../lib/monotonic-clock.js'
import { escapeText } from './text.js'

/** Delay before progress is shown, in milliseconds. */
const delayMs = 500
/** Minimum time between two updates, in milliseconds. */
const redrawMs = 100
const eraseLine = '\r\u001b[K'

interface ProgressHost {
  stderr: { isTTY?: boolean; columns?: number | undefined; write(text: string): unknown }
  env: Readonly<Record<string, string | undefined>>
  onInterrupt(interrupt: () => void): void
}

/** An operation in progress. */
export interface ProgressLine {
  /** Updates the line; for long synchronous work during which timers do not run. */
  tick(): void
  /** Shows the line at once. */
  show(): void
  end(): void
}

/**
 * A progress line on a terminal, shown when a command takes longer than half a second. Call `clear` before writing
 * other output.
 */
export class ProgressIndicator {
  readonly #host: ProgressHost
  readonly #startedMs = monotonicMs()
  /** The labels of the current operations, the outer ones first. */
  readonly #labels: (() => string)[] = []
  #timer: NodeJS.Timeout | undefined
  #isEnabled: boolean | undefined
  #drawn = ''
  #drawnMs = -Infinity

  /** @param isEnabled false never shows a line */
  constructor(host: ProgressHost, isEnabled: boolean) {
    this.#host = host
    if (!isEnabled) this.#isEnabled = false
  }

  /** @param label the text to show; empty to show that of an inner operation */
  start(label: () => string): ProgressLine {
    this.#labels.push(label)
    this.#timer ??= setTimeout(() => this.#draw(), delayMs).unref()
    this.#tick()
    return {
      tick: () => this.#tick(),
      show: () => this.#draw(),
      end: () => {
        this.#labels.splice(this.#labels.indexOf(label), 1)
        if (this.#labels.length === 0) this.clear()
      },
    }
  }

  /** Removes the line before other output. */
  clear() {
    if (this.#drawn) this.#host.stderr.write(eraseLine)
    this.#drawn = ''
  }

  /** Removes the line and shows none from then on. */
  stop() {
    this.clear()
    this.#isEnabled = false
    clearTimeout(this.#timer)
  }

  #tick() {
    const nowMs = monotonicMs()
    if (nowMs - this.#startedMs >= delayMs && nowMs - this.#drawnMs >= redrawMs) this.#draw()
  }

  #draw() {
    this.#isEnabled ??= this.#canDraw()
    if (!this.#isEnabled) return
    const { columns = 80 } = this.#host.stderr
    // A full last column wraps on some terminals, and the second line would remain.
    const text = escapeText(this.#text()).slice(0, columns - 1)
    this.#drawnMs = monotonicMs()
    if (text === this.#drawn) return
    this.#drawn = text
    this.#host.stderr.write(`${eraseLine}${text}`)
  }

  #text(): string {
    for (const label of this.#labels) {
      const text = label()
      if (text) return text
    }
    return ''
  }

  /** Called only when there is text to show, because detecting a terminal takes time. */
  #canDraw(): boolean {
    const { stderr, env, onInterrupt } = this.#host
    if (stderr.isTTY !== true || env.TERM === 'dumb' || env.CI) return false
    onInterrupt(() => this.stop())
    return true
  }
}
