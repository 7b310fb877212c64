import type { Host } from '../cli/host.js'
import { escapeText } from './text.js'

/** So long nobody wants to know what goes on, in milliseconds. */
const patienceMs = 500
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
  readonly #world: Host
  readonly #begunMs = performance.now()
  /** What is waited for: what goes on within something else comes after it. */
  readonly #words: (() => string)[] = []
  #timer: NodeJS.Timeout | undefined
  #wanted: boolean | undefined
  #shown = ''
  #shownMs = -Infinity

  /** @param wanted whether somebody who looks at standard error is to see it */
  constructor(world: Host, wanted: boolean) {
    this.#world = world
    if (!wanted) this.#wanted = false
  }

  /** @param words what to show; nothing where there is something better to say within it */
  begin(words: () => string): ProgressLine {
    this.#words.push(words)
    this.#timer ??= setTimeout(() => this.#draw(), patienceMs).unref()
    this.#tick()
    return {
      tick: () => this.#tick(),
      show: () => this.#draw(),
      end: () => {
        this.#words.splice(this.#words.indexOf(words), 1)
        if (this.#words.length === 0) this.clear()
      },
    }
  }

  /** Takes the line away: something else is to be written. */
  clear() {
    if (this.#shown) this.#world.stderr.write(eraseLine)
    this.#shown = ''
  }

  /** Shows nothing from now on. */
  stop() {
    this.clear()
    this.#wanted = false
    clearTimeout(this.#timer)
  }

  #tick() {
    const nowMs = performance.now()
    if (nowMs - this.#begunMs >= patienceMs && nowMs - this.#shownMs >= redrawMs) this.#draw()
  }

  #draw() {
    this.#wanted ??= this.#isSeen()
    if (!this.#wanted) return
    const { columns = 80 } = this.#world.stderr
    // In the last column some terminals begin the next line, which would stay.
    const text = escapeText(this.#inWords()).slice(0, columns - 1)
    this.#shownMs = performance.now()
    if (text === this.#shown) return
    this.#shown = text
    this.#world.stderr.write(`${eraseLine}${text}`)
  }

  #inWords(): string {
    for (const words of this.#words) {
      const text = words()
      if (text) return text
    }
    return ''
  }

  /** Asked when there is something to show: finding out about a terminal takes a while. */
  #isSeen(): boolean {
    const { stderr, env, onInterrupt } = this.#world
    if (stderr.isTTY !== true || env.TERM === 'dumb' || env.CI) return false
    onInterrupt(() => this.stop())
    return true
  }
}
