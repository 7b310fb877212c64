import { displayWidth, escapeStyledText, shortenText } from './text.js'

/** What a screen is drawn on. */
export interface ScreenOutput {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string, done?: (error?: Error | null) => void): unknown
}

const ESC = '\u001b'
/** The alternate screen, without cursor and with marked pastes (xterm, "Alternate Screen Buffer", "Bracketed Paste Mode"). */
const enterText = `${ESC}[?1049h${ESC}[?25l${ESC}[?2004h${ESC}[H${ESC}[2J`
const leaveText = `${ESC}[?2004l${ESC}[?25h${ESC}[?1049l`
/** A terminal that supports synchronized output shows all of a frame at once; the others ignore these. */
const beginFrame = `${ESC}[?2026h`
const endFrame = `${ESC}[?2026l`

/** A full-screen display. Each frame is one write with the lines that differ, and no write if none does. */
export class Screen {
  readonly #output: ScreenOutput
  readonly #onError: () => void
  #lines: readonly string[] | undefined
  #size = ''

  /** @param onError called when the terminal is gone */
  constructor(output: ScreenOutput, onError: () => void) {
    this.#output = output
    this.#onError = onError
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  get rows(): number {
    return this.#output.rows || 24
  }

  enter() {
    this.#lines = []
    this.#size = this.#currentSize
    this.#write(enterText)
  }

  /** Shows the former content of the terminal and the cursor. Does nothing if the screen was not entered. */
  leave() {
    if (!this.#lines) return
    this.#lines = undefined
    this.#write(leaveText)
  }

  /** Shows these lines, with the colours of this program; longer ones are shortened, and those below the screen omitted. */
  draw(lines: readonly string[]) {
    if (!this.#lines) return
    const { columns, rows } = this
    const isResized = this.#size !== this.#currentSize
    const before = isResized ? [] : this.#lines
    const shown = lines.slice(0, rows).map((line) => shortenText(escapeStyledText(line), columns))
    let text = isResized ? `${ESC}[2J` : ''
    for (let row = 0; row < Math.max(shown.length, before.length); row++) {
      const line = shown[row] ?? ''
      if (line === (before[row] ?? '')) continue
      // In the last column, erasing the rest of the line would erase the last character.
      text += `${ESC}[${row + 1};1H${line}${displayWidth(line) < columns ? `${ESC}[K` : ''}`
    }
    this.#lines = shown
    this.#size = this.#currentSize
    if (text !== '') this.#write(`${beginFrame}${text}${endFrame}`)
  }

  get #currentSize(): string {
    return `${this.columns}x${this.rows}`
  }

  #write(text: string) {
    this.#output.write(text, (error) => {
      if (error) this.#onError()
    })
  }
}
