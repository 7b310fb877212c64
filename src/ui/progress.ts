import type { Host } from '../cli/host.js'
import { escapeText } from './text.js'

/** So long nobody wants to know what goes on, in milliseconds. */
const delayMs = 500
/** More often nobody reads it. */
const redrawMs = 100
const eraseLine = '\r\u001b[K'

/** Something that is waited for. */
export interface ProgressLine {
  /** Its words may be others now: to be called where nothing else gets a turn. */
  tick(): void
  /** Shows it at once, however short it may be. */
  show(): void
  end(): void
}

/**
 * One line on a terminal about what a command waits for, when it takes longer than half a second. The line is gone
 * before anything else is written, as long as whoever writes asks for that.
 */
export class ProgressIndicator {
  readonly #host: Host
  readonly #startedMs = performance.now()
  /** What is waited for: what goes on within something else comes after it. */
  readonly #labels: (() => string)[] = []
  #timer: NodeJS.Timeout | undefined
  #isEnabled: boolean | undefined
  #drawn = ''
  #drawnMs = -Infinity

  /** @param isEnabled whether somebody who looks at standard error is to see it */
  constructor(host: Host, isEnabled: boolean) {
    this.#host = host
    if (!isEnabled) this.#isEnabled = false
  }

  /** @param words what to show; nothing where there is something better to say within it */
  start(words: () => string): ProgressLine {
    this.#labels.push(words)
    this.#timer ??= setTimeout(() => this.#draw(), delayMs).unref()
    this.#tick()
    return {
      tick: () => this.#tick(),
      show: () => this.#draw(),
      end: () => {
        this.#labels.splice(this.#labels.indexOf(words), 1)
        if (this.#labels.length === 0) this.clear()
      },
    }
  }

  /** Takes the line away: something else is to be written. */
  clear() {
    if (this.#drawn) this.#host.stderr.write(eraseLine)
    this.#drawn = ''
  }

  /** Shows nothing from now on. */
  stop() {
    this.clear()
    this.#isEnabled = false
    clearTimeout(this.#timer)
  }

  #tick() {
    const nowMs = performance.now()
    if (nowMs - this.#startedMs >= delayMs && nowMs - this.#drawnMs >= redrawMs) this.#draw()
  }

  #draw() {
    this.#isEnabled ??= this.#canDraw()
    if (!this.#isEnabled) return
    const { columns = 80 } = this.#host.stderr
    // In the last column some terminals begin the next line, which would stay.
    const text = escapeText(this.#text()).slice(0, columns - 1)
    this.#drawnMs = performance.now()
    if (text === this.#drawn) return
    this.#drawn = text
    this.#host.stderr.write(`${eraseLine}${text}`)
  }

  #text(): string {
    for (const words of this.#labels) {
      const text = words()
      if (text) return text
    }
    return ''
  }

  /** Asked when there is something to show: finding out about a terminal takes a while. */
  #canDraw(): boolean {
    const { stderr, env, onInterrupt } = this.#host
    if (stderr.isTTY !== true || env.TERM === 'dumb' || env.CI) return false
    onInterrupt(() => this.stop())
    return true
  }
}
